#include "fabric/report/page_style.h"

namespace railgauge {

// tests/report/page_check.py computes the hash of the page's style again and prints the right one where they
// differ.
std::string_view page_style_hash() { return "pj50qD+L8UCZ9jWUcZekJmULOX3J3nq2ylrhoNz6VfU="; }

// Colours: k0..k23 the ramp over % of expected (page_ramp.h has the edges), n0..n23 text on it. Lightness is
// monotonic in both themes, so the ramp reads in grey and for every kind of colour vision; healthy is close
// to the background: colour is for problems.
std::string_view page_style() {
  return R"css(:root{--sans:"Inter","Segoe UI",system-ui,-apple-system,"Helvetica Neue",Arial,sans-serif;
--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
--bg:#fff;--panel:#f5f7f7;--ink:#14191d;--text:#2b343b;--muted:#5b6770;--line:#dde2e4;--line2:#8f9aa1;
--focus:#005fb8;--link:#0b5394;--bad:#a8261c;--warn:#8a5a00;--ok:#12684f;--blue:#0067a8}
*{box-sizing:border-box}
html{scroll-padding-top:64px;color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 var(--sans);font-variant-numeric:tabular-nums;
-webkit-font-smoothing:antialiased;overflow-wrap:break-word}
b,h1,h2,h3{color:var(--ink);font-weight:600}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,div:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:3px}
.mut{color:var(--muted)}.hid{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px}.skip:focus{left:16px;top:8px;z-index:9;background:var(--bg);padding:8px 12px}
.defs{position:absolute;width:0;height:0}
main{max-width:1320px;margin:0 auto;padding:0 32px 64px}
.sim{background:var(--ink);color:var(--bg);text-align:center;font-size:14px;font-weight:600;padding:6px 16px}
.top{position:sticky;top:0;z-index:5;display:flex;align-items:center;gap:28px;min-height:52px;padding:0 32px;
background:var(--bg);border-bottom:1px solid var(--line);font-size:14px}
.brand{display:flex;gap:12px;align-items:center;min-width:0;color:var(--ink);font-weight:600}
.brand span:last-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;max-width:24em}
.pill{display:inline-flex;gap:6px;align-items:center;padding:2px 11px 2px 8px;border-radius:99px;font-size:13px;white-space:nowrap;
background:var(--muted);color:var(--bg)}
.pill.pass,.pill.waived{background:var(--ok);--hole:var(--ok)}.pill.fail{background:var(--bad);--hole:var(--bad)}
.pill.warn,.pill.open{background:var(--warn);--hole:var(--warn)}
nav{display:flex;gap:22px;flex:1;min-width:0;overflow:hidden}
nav a{color:var(--muted);text-decoration:none;white-space:nowrap;padding:15px 0}nav a:hover{color:var(--ink)}
.gl{flex:none;width:15px;height:15px;vertical-align:-2.5px}
.gl.critical,.gl.fail{color:var(--bad)}.gl.major,.gl.warn,.gl.open{color:var(--warn)}.gl.minor{color:var(--blue)}
.gl.note,.gl.waived{color:var(--muted)}.gl.pass{color:var(--ok)}.pill .gl{color:inherit}
.gf{fill:currentColor}.gk{fill:none;stroke:var(--hole,var(--bg));stroke-width:1.9;stroke-linecap:round}
.gs{fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.t .r+td:not(.r){padding-left:14px}.t .r+th:not(.r){padding-left:14px}
#verdict{padding:40px 0 0;display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.04fr);gap:28px 56px}
.eyebrow{margin:0 0 6px;font-size:13px;color:var(--muted)}.eyebrow span+span::before{content:"\b7";margin:0 7px}
h1{font-size:52px;line-height:1.06;letter-spacing:-.028em;margin:0 0 16px;font-weight:650}
h1.fail{color:var(--bad)}h1.pass,h1.waived{color:var(--ok)}h1.warn,h1.open{color:var(--warn)}
.say{font-size:18px;line-height:1.45;margin:0 0 14px;max-width:34em}
.why{list-style:none;margin:0 0 8px;padding:0;max-width:38em;border-top:1px solid var(--line)}.why li{border-bottom:1px solid var(--line)}
.why a{display:flex;gap:10px;align-items:baseline;padding:7px 0;color:var(--ink);text-decoration:none;font-weight:500}
.why a:hover span{text-decoration:underline}.why .gl{transform:translateY(2px)}
.facts{display:grid;grid-template-columns:repeat(4,auto);gap:8px 26px;margin:26px 0 0;justify-content:space-between}
.facts dt,.facts .s{font-size:12.5px;color:var(--muted)}.facts dd{margin:0}
.facts .v{font-size:28px;line-height:1.25;letter-spacing:-.02em;color:var(--ink);font-weight:600;white-space:nowrap}
.facts .v i{font-style:normal;font-size:14px;font-weight:500;letter-spacing:0;margin-left:4px;color:var(--muted)}
.facts .v.none{font-size:18px;line-height:35px;font-weight:500;letter-spacing:0;color:var(--muted)}
.t{border-collapse:collapse;width:100%;font-size:14px}
.t caption{text-align:left;font-weight:600;color:var(--ink);padding:0 0 6px;font-size:15px}
.t th{text-align:left;font-weight:500;color:var(--muted);font-size:12.5px;padding:4px 14px 5px 0;border-bottom:1px solid var(--line2);
vertical-align:bottom}
.t td{padding:6.5px 14px 6.5px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
.t .r{text-align:right;white-space:nowrap;overflow-wrap:normal}.t tr>:last-child{padding-right:0}
.t.sm{font-size:13.5px}.t.sm td{padding-top:4px;padding-bottom:4px}.nw{white-space:nowrap;overflow-wrap:normal!important}
.t tr.bad td{color:var(--ink)}.t .no{color:var(--bad);font-weight:550}.t .am{color:var(--warn);font-weight:550}
.crit td:first-child{width:7.6em;white-space:nowrap}.crit td:first-child .gl{margin-right:7px}
.fl{font-size:12.5px;color:var(--muted);text-decoration:none;margin-right:8px;white-space:nowrap}.fl:hover{text-decoration:underline}
.sw{width:10px;height:10px;margin-right:6px;vertical-align:-.5px}
section{padding-top:44px}section>h2{border-top:2px solid var(--ink);padding-top:10px;font-size:24px;letter-spacing:-.015em;margin:0 0 4px;
line-height:1.3}
section>p.lead{margin:0 0 18px;color:var(--muted);max-width:46em}
.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:28px 40px;align-items:start}
.one{display:grid;gap:28px}
@media (min-width:1001px){.stay{position:sticky;top:76px}}
.f{border-bottom:1px solid var(--line)}.fs{border-top:1px solid var(--line)}
.f summary{list-style:none;cursor:pointer;display:grid;grid-template-columns:15px minmax(0,1fr) auto;gap:0 11px;padding:11px 0}
.f summary::-webkit-details-marker{display:none}.f summary .gl{margin-top:4px}.f summary b{font-weight:550;overflow-wrap:anywhere}
.f summary:hover b{text-decoration:underline}.f .at{grid-column:2;font-size:13px;color:var(--muted);overflow-wrap:anywhere}
.f .m{display:flex;gap:9px;align-items:center;font-weight:600;color:var(--ink);white-space:nowrap}.f .m svg{width:66px;height:5px}
.mt{fill:var(--line)}.mv{fill:var(--ink)}
.fb{padding:0 0 18px 26px}.fb p{margin:0 0 8px}.fb h3{font-size:13.5px;margin:14px 0 4px}
.fb>h3:first-child{margin-top:0}
.fb ul,.fb ol{margin:0;padding-left:1.25em}.fb li{margin:2px 0;padding-left:2px;overflow-wrap:anywhere}
.fb li::marker{color:var(--muted)}.tag{font-size:12.5px;color:var(--muted);margin-right:7px}
.fb .three{display:grid;grid-template-columns:repeat(3,auto);justify-content:start;gap:2px 28px;margin:2px 0 4px}
.three dt{font-size:12.5px;color:var(--muted)}.three dd{margin:0;color:var(--ink);font-weight:600}.three div{min-width:0}
.three .s{font-weight:400;font-size:12.5px;color:var(--muted);overflow-wrap:anywhere}
.cmd{display:block;margin:4px 0 6px;padding:6px 10px;font:12.5px/1.5 var(--mono);background:var(--panel);border:1px solid var(--line);
border-radius:4px;color:var(--ink);overflow-wrap:anywhere;white-space:pre-wrap;user-select:all}
.id{font-size:12.5px;color:var(--muted)}.f:target>summary,.f:has(:target)>summary{background:var(--panel);box-shadow:-10px 0 0 var(--panel)}
.scroll{overflow-x:auto}.map{display:block;max-width:100%;height:auto;fill:var(--muted)}
.map text{font:11.5px var(--sans);font-variant-numeric:tabular-nums}.map .nm{fill:var(--text);font-weight:500}
.map .hd{fill:var(--text);font-weight:600}.map .sm{font-size:9.5px}.map .c{text-anchor:middle}.map .e{text-anchor:end}
.map .st{font-size:11px;fill:var(--text)}.off{fill:var(--bg);stroke:var(--line2);stroke-dasharray:3 2.5}
.nil{fill:none;stroke:var(--line)}.kn{fill:var(--panel);stroke:var(--line)}.nn{fill:var(--text)}.x{fill:none;stroke:var(--ink);stroke-width:1.4}
.dash{fill:none;stroke:var(--line2);stroke-width:1.6}.xbad{fill:none;stroke:var(--bad);stroke-width:1.6}.tol{stroke:var(--ink);stroke-width:1.2}
.edge{stroke:var(--line2);stroke-width:.5;stroke-opacity:.6}.ax{stroke:var(--line2)}
.lg{margin:14px 0 0;font-size:13px;color:var(--muted);max-width:44em}.lg p{margin:6px 0}.lg svg{max-width:100%;height:auto}
.lg .gly{width:13px;height:11px;vertical-align:-1px;margin:0 5px 0 0}.lg span{margin-right:16px;white-space:nowrap}
.lg text,.strip text{font:11px var(--sans);fill:var(--muted)}.strip{display:block;max-width:100%;height:auto}
.strip text.c,.lg text.c{text-anchor:middle}.strip text.e,.lg text.e{text-anchor:end}
.kv{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:5px 22px;margin:0;font-size:14px}.kv dt{color:var(--muted)}
.kv dd{margin:0;overflow-wrap:anywhere}.kv code,.mono{font:13px/1.5 var(--mono)}
.meth{margin:0;padding-left:1.2em}.meth li{margin:0 0 6px;padding-left:2px}.meth li::marker{color:var(--muted)}
h3.sub{font-size:15px;margin:0 0 8px}
.rec{display:grid;grid-template-columns:1fr 1fr;gap:8px 40px;margin-top:10px}.rec div{border-bottom:1px solid var(--line2);height:46px;
font-size:12.5px;color:var(--muted)}.rec h3{font-size:15px;margin:0}
footer{max-width:1320px;margin:0 auto;padding:16px 32px 40px;font-size:12.5px;color:var(--muted)}
.k0{fill:#4b104b}.n0{fill:#ffffff}.k1{fill:#66134e}.n1{fill:#ffffff}.k2{fill:#75154f}.n2{fill:#ffffff}
.k3{fill:#861c4e}.n3{fill:#ffffff}.k4{fill:#982849}.n4{fill:#ffffff}.k5{fill:#a93444}.n5{fill:#ffffff}
.k6{fill:#b94440}.n6{fill:#ffffff}.k7{fill:#c7573c}.n7{fill:#000000}.k8{fill:#d56a38}.n8{fill:#14191d}
.k9{fill:#de7a39}.n9{fill:#14191d}.k10{fill:#e2853f}.n10{fill:#14191d}.k11{fill:#e69146}.n11{fill:#14191d}
.k12{fill:#ea9d4c}.n12{fill:#14191d}.k13{fill:#eea852}.n13{fill:#14191d}.k14{fill:#f1b25c}.n14{fill:#14191d}
.k15{fill:#f2bb68}.n15{fill:#14191d}.k16{fill:#f3c376}.n16{fill:#14191d}.k17{fill:#f4cb82}.n17{fill:#14191d}
.k18{fill:#f5d490}.n18{fill:#14191d}.k19{fill:#f4dca4}.n19{fill:#14191d}.k20{fill:#f0e3c0}.n20{fill:#14191d}
.k21{fill:#ecebdc}.n21{fill:#14191d}.k22{fill:#e1e9eb}.n22{fill:#14191d}.k23{fill:#a9c8e4}.n23{fill:#14191d}
@media (prefers-color-scheme:dark){@media screen{:root{--bg:#0f1417;--panel:#161d21;--ink:#f1f4f5;--text:#cfd7db;--muted:#93a0a7;--line:#283237;
--line2:#5e6b73;--focus:#6cb8ff;--link:#7fbef5;--bad:#ff8a75;--warn:#f0b24a;--ok:#5fcaa4;--blue:#5fb4ee}
.k0{fill:#ffeeb8}.n0{fill:#0f1417}.k1{fill:#ffe49d}.n1{fill:#0f1417}.k2{fill:#ffdf8e}.n2{fill:#0f1417}
.k3{fill:#fed67c}.n3{fill:#0f1417}.k4{fill:#fcc868}.n4{fill:#0f1417}.k5{fill:#fabc54}.n5{fill:#0f1417}
.k6{fill:#f5ad45}.n6{fill:#0f1417}.k7{fill:#ec9e3a}.n7{fill:#0f1417}.k8{fill:#e48e30}.n8{fill:#0f1417}
.k9{fill:#da822b}.n9{fill:#0f1417}.k10{fill:#cf7b2b}.n10{fill:#0f1417}.k11{fill:#c4732a}.n11{fill:#0f1417}
.k12{fill:#b96b2a}.n12{fill:#0f1417}.k13{fill:#ae642a}.n13{fill:#000000}.k14{fill:#a25e2a}.n14{fill:#f1f4f5}
.k15{fill:#96592b}.n15{fill:#f1f4f5}.k16{fill:#8a552b}.n16{fill:#f1f4f5}.k17{fill:#7d512b}.n17{fill:#f1f4f5}
.k18{fill:#714c2c}.n18{fill:#f1f4f5}.k19{fill:#5f472f}.n19{fill:#f1f4f5}.k20{fill:#474034}.n20{fill:#f1f4f5}
.k21{fill:#2f3a3a}.n21{fill:#f1f4f5}.k22{fill:#213036}.n22{fill:#f1f4f5}.k23{fill:#274d6b}.n23{fill:#f1f4f5}
}}
@media (max-width:1000px){.stay{order:-1}#verdict,.two{grid-template-columns:minmax(0,1fr)}}
@media (max-width:640px){main{padding:0 16px 40px}footer{padding:16px}.top{padding:0 16px;gap:16px}nav{display:none}h1{font-size:38px}
.say{font-size:17px}.facts{grid-template-columns:1fr 1fr}.fb{padding-left:0}.fb .three{grid-template-columns:1fr 1fr}.rec{grid-template-columns:1fr}
.map.wide{min-width:640px;max-width:none}.kv{grid-template-columns:minmax(0,1fr);gap:0}.kv dd{margin-bottom:8px}
.f .m svg{display:none}.t td,.t th{padding-right:10px}.opt{display:none}section{padding-top:36px}#verdict{padding-top:24px}
.crit thead{display:none}.crit tr{display:grid;grid-template-columns:9.2em minmax(0,1fr);padding:8px 0;border-bottom:1px solid var(--line)}
.crit tr:first-child{border-top:1px solid var(--line2)}.crit tr td{border:0;padding:0;width:auto}.crit td:nth-child(n+3){grid-column:2}
.crit td:nth-child(3)::before{content:"required: ";color:var(--muted)}.crit td:nth-child(4)::before{content:"measured: ";color:var(--muted)}}
@page{size:A4;margin:15mm 14mm 16mm;@bottom-right{content:counter(page) " / " counter(pages);font-size:8pt;color:#5b6770}}
@media print{.stay{position:static;order:-1}
body{font-size:10pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}main,footer{max-width:none;padding:0}
.top{position:static;padding:0 0 6px;min-height:0}nav,.skip{display:none}#verdict{padding-top:14px;grid-template-columns:1fr}h1{font-size:30pt}
.say{font-size:12.5pt}.two{grid-template-columns:1fr}section{padding-top:22px}.t,.t.sm,.kv{font-size:9pt}.t td{padding-top:3.5px;padding-bottom:3.5px}
.f,.t tr,.map,.rec,.strip{break-inside:avoid}h2,h3,.t thead{break-after:avoid}a{color:inherit;text-decoration:none}
.f::details-content{content-visibility:visible;height:auto;display:block}.cmd{border-color:#8f9aa1}.scroll{overflow:visible}.map.wide{min-width:0}}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
)css";
}

}  // namespace railgauge
