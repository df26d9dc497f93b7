// Comforts only: the page is complete without this. Names of marks also appear where a finger or the keyboard is.
(function () {
  "use strict";
  var tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.appendChild(tip);
  // Two tooltips at once would cover each other.
  document.querySelectorAll("svg [data-tip] > title").forEach(function (title) {
    title.parentNode.setAttribute("aria-label", title.textContent);
    title.remove();
  });
  function show(event) {
    var mark = event.target.closest && event.target.closest("[data-tip]");
    if (!mark) {
      tip.hidden = true;
      return;
    }
    tip.textContent = mark.getAttribute("data-tip");
    tip.hidden = false;
    var box = mark.getBoundingClientRect();
    var left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), document.documentElement.clientWidth - tip.offsetWidth - 8);
    var top = box.top - tip.offsetHeight - 8;
    tip.style.left = left + "px";
    tip.style.top = (top < 8 ? box.bottom + 8 : top) + "px";
  }
  function hide() {
    tip.hidden = true;
  }
  document.addEventListener("pointerover", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("focusin", show);
  document.addEventListener("scroll", hide, { passive: true });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") hide();
  });
})();
