"use strict";
// Moves each reviewer's threshold. All it is given are numbers; all it writes is text.

const PLOT = { left: 52, top: 14, side: 264 };
const Z = 1.959964;
const reviewers = JSON.parse(document.getElementById("data").textContent);

const wilson = (hits, of) => {
  if (!of) return null;
  const share = hits / of;
  const middle = share + (Z * Z) / (2 * of);
  const half = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * of)) / of);
  const below = 1 + (Z * Z) / of;
  return [Math.max(0, (middle - half) / below), Math.min(1, (middle + half) / below)];
};

const written = (hits, of, unit = 1, digits = 2) => {
  if (!of) return "–";
  const ends = wilson(hits, of).map((end) => (end * unit).toFixed(digits));
  return `${((hits / of) * unit).toFixed(digits)} (${ends[0]} to ${ends[1]})`;
};

const expected = ([, tp, fp, tn, fn], share) => {
  if (!(tp + fn) || !(fp + tn)) return null;
  const right = 1000 * share * (tp / (tp + fn));
  const wrong = 1000 * (1 - share) * (fp / (fp + tn));
  return { right, wrong, precision: right + wrong ? right / (right + wrong) : null };
};

const rounded = (count) => (count >= 10 ? count.toFixed(0) : count.toFixed(1));

const inWords = (hope, share) => {
  if (!hope) return "Both bad and good results need labels before anything can be expected.";
  const flags = rounded(hope.right + hope.wrong);
  return (
    `Of 1,000 results, ${rounded(1000 * share)} of them bad, expect ${flags} flagged: ` +
    `${rounded(hope.right)} rightly, ${rounded(hope.wrong)} wrongly.`
  );
};

const threshold = (score) => (score > 1 ? "more than 1: flags nothing" : score.toFixed(3));

const moveMark = (panel, kind, x, y) => {
  const mark = panel.querySelector(`.moving[data-chart="${kind}"]`);
  if (!mark) return;
  mark.setAttribute("cx", PLOT.left + PLOT.side * x);
  mark.setAttribute("cy", PLOT.top + PLOT.side * (1 - y));
};

const show = (section) => {
  const { steps } = reviewers[section.dataset.reviewer];
  const slider = section.querySelector(".slider");
  const step = steps[steps.length - 1 - slider.valueAsNumber];
  const [score, tp, fp, tn, fn] = step;
  const percent = section.querySelector(".share").valueAsNumber;
  const known = percent >= 0 && percent <= 100;
  const hope = known ? expected(step, percent / 100) : null;
  const say = (cell, text) => {
    section.querySelector(`[data-cell="${cell}"]`).textContent = text;
  };
  section.querySelector(".from").textContent = threshold(score);
  slider.setAttribute("aria-valuetext", `flag from ${threshold(score)}`);
  for (const [cell, count] of Object.entries({ tp, fp, tn, fn })) say(cell, count.toLocaleString("en"));
  say("recall", written(tp, tp + fn));
  say("precision", written(tp, tp + fp));
  say("alarms", written(fp, fp + tn, 1000, 1));
  say("expected-precision", hope && hope.precision !== null ? hope.precision.toFixed(3) : "–");
  say("words", known ? inWords(hope, percent / 100) : "Give a share from 0 to 100 percent.");
  if (fp + tn && tp + fn) moveMark(section, "roc", fp / (fp + tn), tp / (tp + fn));
  if (tp + fn) moveMark(section, "pr", tp / (tp + fn), tp + fp ? tp / (tp + fp) : 1);
};

const sections = [...document.querySelectorAll(".reviewer")].filter((one) => one.querySelector(".slider"));

for (const section of sections) {
  const { steps, start } = reviewers[section.dataset.reviewer];
  section.querySelector(".controls").hidden = false;
  section.querySelector(".expected").hidden = false;
  section.querySelector(".slider").addEventListener("input", () => show(section));
  section.querySelector(".back").addEventListener("click", () => {
    section.querySelector(".slider").value = steps.length - 1 - start;
    show(section);
  });
  section.querySelector(".share").addEventListener("input", (event) => {
    for (const other of sections) {
      const share = other.querySelector(".share");
      if (share !== event.target) share.value = event.target.value;
      show(other);
    }
  });
  show(section);
}

const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", openTarget);
openTarget();

const all = document.getElementById("open-all");
const details = [...document.querySelectorAll(".reviewer")];
const someClosed = () => details.some((one) => !one.open);
const nameButton = () => {
  all.textContent = someClosed() ? "Open all" : "Close all";
};
all.hidden = details.length < 2;
all.addEventListener("click", () => {
  const open = someClosed();
  for (const one of details) one.open = open;
});
for (const one of details) one.addEventListener("toggle", nameButton);
nameButton();
