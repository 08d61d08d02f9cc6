"""How a page looks: one column of text that fits a phone, a wide screen, a dark room and a sheet of A4."""

STYLE = """
:root{color-scheme:light dark;--page:#fff;--text:#1a1d21;--muted:#4b5560;--line:#d5dae0;--panel:#f3f6f9;
--accent:#0b57a4;--good:#17603a;--good-panel:#edf7f0;--warn:#8a2f00;--warn-panel:#fff3e6;--track:#dfe4ea}
@media (prefers-color-scheme:dark){:root{--page:#14171c;--text:#e9ecf0;--muted:#a8b3bf;--line:#3a424c;--panel:#1d222a;
--accent:#84b8f5;--good:#8bd3a6;--good-panel:#16271d;--warn:#ffb27a;--warn-panel:#2d1d11;--track:#38414c}}
@media print{:root{color-scheme:light;--page:#fff;--text:#000;--muted:#333;--line:#bbb;--panel:#fff;--accent:#0b57a4;
--good:#17603a;--good-panel:#fff;--warn:#8a2f00;--warn-panel:#fff;--track:#dfe4ea}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:17px/1.5 system-ui,"Segoe UI",Roboto,sans-serif;
overflow-wrap:break-word}
main{max-width:52rem;margin:0 auto;padding:1.2rem 1.2rem 3rem}
h1{font-size:1.55rem;line-height:1.25;margin:.6rem 0 .3rem}
h2{font-size:1.15rem;margin:0 0 .5rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.5rem 0}.subtitle,footer{color:var(--muted)}.experts,footer{font-size:.85rem}.experts{margin:.5rem 0}
section{margin:1.6rem 0}
.stamp{background:var(--warn-panel);color:var(--warn);border:2px solid var(--warn);padding:.6rem .8rem;font-weight:700}
.certified{background:var(--good-panel);border-left:6px solid var(--good);padding:.9rem 1.1rem}
.certified.nothing{background:var(--warn-panel);border-color:var(--warn)}
.certified.neutral{background:var(--panel);border-color:var(--muted)}
.sentence{font-size:1.32rem;line-height:1.35;font-weight:600}
.verdict{color:var(--good);font-weight:700;text-transform:uppercase;letter-spacing:.04em;font-size:.85rem}
.nothing .verdict{color:var(--warn)}.neutral .verdict{color:var(--muted)}
.total{font-weight:600}
.cautions{border:1px solid var(--line);border-left:6px solid var(--warn);padding:.9rem 1.1rem}
.cautions ul{margin:0;padding-left:1.2rem}.cautions li{margin:.4rem 0}
.guesses{margin:.8rem 0}.guesses svg{max-width:100%;height:auto;display:block}
.guesses figcaption{font-size:.85rem;color:var(--muted)}
.chance{fill:var(--muted)}.more{fill:var(--warn)}.never{fill:none;stroke:var(--line);stroke-width:1.4}
.track{fill:var(--track)}.share{fill:var(--accent)}
table{border-collapse:collapse;font-size:.92rem}caption{text-align:left;color:var(--muted);font-size:.85rem}
th,td{text-align:left;padding:.25rem .9rem .25rem 0;vertical-align:top;font-weight:400}
thead th{color:var(--muted);border-bottom:1px solid var(--line)}
td.right,th.right{text-align:right;font-variant-numeric:tabular-nums}tr.marked>*{font-weight:700}
.scroll{overflow-x:auto}
details{margin:1.2rem 0}summary{cursor:pointer;color:var(--accent)}
summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
pre{background:var(--panel);padding:.7rem;overflow-x:auto;font-size:.85rem}
code{font-size:.92em}
dl{margin:.4rem 0}dt{font-weight:600}dd{margin:0 0 .4rem 0}
.answer dd{font-size:1.05rem}
footer{border-top:1px solid var(--line);margin-top:2rem;padding-top:.4rem}
.curve svg{max-width:100%;height:auto}.axis{stroke:var(--muted);fill:none}.grid{stroke:var(--line);fill:none}
.line{fill:none;stroke-width:2}.here{stroke:var(--warn);stroke-dasharray:4 3;fill:none}
.l0{stroke:#1d5fd1}.l1{stroke:#b3440c}.l2{stroke:#1b7f4b}.l3{stroke:#8e3bb0}.l4{stroke:#8a6d00}.l5{stroke:#5b6675}
.d1{stroke-dasharray:7 3}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:9 3 2 3}.d4{stroke-dasharray:1 4}
.d5{stroke-dasharray:12 4}
@media (prefers-color-scheme:dark){.l0{stroke:#6aa8ff}.l1{stroke:#ff9d66}.l2{stroke:#6fd39b}.l3{stroke:#d69cf0}
.l4{stroke:#e3c34d}.l5{stroke:#aab4c0}}
body[data-stamp]::after{content:attr(data-stamp);position:fixed;top:45%;left:50%;white-space:nowrap;
transform:translate(-50%,-50%) rotate(-32deg);font-size:min(15vw,7rem);font-weight:800;color:var(--warn);opacity:.13;
pointer-events:none;z-index:9}
@media (max-width:30rem){body{font-size:16px}main{padding:.8rem .9rem 2rem}.sentence{font-size:1.15rem}}
@media print{@page{size:A4;margin:16mm 15mm}body{font-size:10.5pt}main{max-width:none;padding:0}
section,tr,li{break-inside:avoid}h2{break-after:avoid}section.bars{break-inside:auto}.bars>p{break-after:avoid}
details:not([open]){display:none}
@supports selector(::details-content){details.experts:not([open]){display:block}
details.experts::details-content{content-visibility:visible;block-size:auto}}.certified,.cautions,.stamp{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.l0{stroke:#1d5fd1}.l1{stroke:#b3440c}.l2{stroke:#1b7f4b}.l3{stroke:#8e3bb0}.l4{stroke:#8a6d00}.l5{stroke:#5b6675}
svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
"""
