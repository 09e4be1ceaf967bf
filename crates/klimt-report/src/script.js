"use strict";
(function () {
  var tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.appendChild(tip);
  // The titles of marks become tooltips that appear at once; those of whole charts stay for screen readers.
  document.querySelectorAll(".chart svg *").forEach(function (mark) {
    var title = mark.querySelector(":scope > title");
    if (!title || mark.ownerSVGElement === null) { return; }
    mark.dataset.tip = title.textContent;
    mark.setAttribute("aria-label", title.textContent);
    title.remove();
  });
  function show(event) {
    var mark = event.target.closest ? event.target.closest("[data-tip]") : null;
    if (!mark) { tip.hidden = true; return; }
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    var width = document.documentElement.clientWidth, box = tip.getBoundingClientRect();
    var left = Math.min(event.clientX + 14, width - box.width - 8);
    var top = event.clientY - box.height - 12;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = (top < 4 ? event.clientY + 18 : top) + "px";
  }
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("scroll", function () { tip.hidden = true; }, true);
  document.querySelectorAll("table.sortable").forEach(function (table) {
    table.querySelectorAll("thead th").forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) { button.appendChild(head.firstChild); }
      head.appendChild(button);
      button.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") === "ascending", body = table.tBodies[0];
        var rows = Array.prototype.slice.call(body.rows).map(function (row, at) {
          var cell = row.cells[column], key = cell.dataset.sort;
          return { row: row, at: at, key: key === undefined ? cell.textContent : key, number: parseFloat(key) };
        });
        rows.sort(function (a, b) {
          var both = !isNaN(a.number) && !isNaN(b.number);
          var order = both ? a.number - b.number
            : !isNaN(a.number) ? -1 : !isNaN(b.number) ? 1 : a.key.localeCompare(b.key);
          return (down ? -order : order) || a.at - b.at;
        });
        table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        rows.forEach(function (entry) { body.appendChild(entry.row); });
      });
    });
  });
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details[data-print]").forEach(function (part) { part.open = true; });
  });
})();
