// What is cut off, sticks out or lies on something else in a page, found by measuring every text that is in sight.

/** To be evaluated in the page: one line for each fault. */
export function faults() {
  const found = new Set();
  const name = (element) => {
    const of = (one) => one.tagName.toLowerCase() + (one.id ? `#${one.id}` : '') + [...one.classList].map((c) => `.${c}`).join('');
    return [element.parentElement, element].filter(Boolean).map(of).join(' > ');
  };
  const short = (text) => JSON.stringify(text.trim().replace(/\s+/g, ' ').slice(0, 40));
  const top = (element) => element.closest(':popover-open, dialog, .sheet, .inspector, .notice, .catalogue, .terminal');
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('.unseen, .skip, script, style, option, .cm-editor, [hidden], [aria-hidden=true], textarea, svg')) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const own = element.getBoundingClientRect();
    // For assistive technology only.
    if (own.width <= 2 && own.height <= 2) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()].filter(({ width, height }) => width >= 1 && height >= 1);
    for (const line of lines) look(node, element, line);
  }
  function look(node, element, line) {
    let { left, right, top: upper, bottom } = line;
    let scrolled = false;
    let gone = false;
    for (let around = element; around && around !== document.documentElement; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.position === 'fixed' || around.matches(':popover-open')) break;
      if (style.display === 'inline' || style.display === 'contents') continue;
      const frame = around.getBoundingClientRect();
      const scrolls = (overflow) => overflow === 'auto' || overflow === 'scroll';
      const hides = (overflow) => overflow === 'hidden' || overflow === 'clip';
      if (scrolls(style.overflowX) || scrolls(style.overflowY)) {
        // What has been scrolled away is not in sight.
        if (bottom <= frame.top + 1 || upper >= frame.bottom - 1 || right <= frame.left + 1 || left >= frame.right - 1) gone = true;
        [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
        [upper, bottom] = [Math.max(upper, frame.top), Math.min(bottom, frame.bottom)];
        scrolled = true;
        continue;
      }
      if (hides(style.overflowX) && (right > frame.right + 1 || left < frame.left - 1)) {
        // An ellipsis is honest where the whole text can be had.
        const ellipsis = style.textOverflow === 'ellipsis' && around.closest('[title]');
        if (!ellipsis) found.add(`cut at the side: ${short(node.data)} in ${name(around)}`);
        [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
      }
      if (hides(style.overflowY) && (bottom > frame.bottom + 2 || upper < frame.top - 2)) {
        if (!scrolled) found.add(`cut below: ${short(node.data)} in ${name(around)}`);
        [upper, bottom] = [Math.max(upper, frame.top), Math.min(bottom, frame.bottom)];
      }
    }
    if (gone || right - left < 1 || bottom - upper < 1) return;
    if (right > innerWidth + 1 || left < -1) found.add(`outside: ${short(node.data)} in ${name(element)}`);
    texts.push({ node, element, left, right, upper, bottom });
  }
  for (const [index, a] of texts.entries()) {
    for (const b of texts.slice(index + 1)) {
      if (a.node === b.node || top(a.element) !== top(b.element)) continue;
      const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.upper, b.upper)];
      if (width > 2 && height > 6) found.add(`one on the other: ${short(a.node.data)} in ${name(a.element)} and ${short(b.node.data)} in ${name(b.element)}`);
    }
  }
  // Buttons and fields: their own contents, which is no text of the page.
  for (const element of document.querySelectorAll('button, select, input:not([type=range], [type=search], [type=radio], [type=checkbox])')) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('.unseen, .skip')) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || !box.height) continue;
    const isField = element.matches('select');
    if (isField && element.scrollWidth > element.clientWidth + 1) found.add(`cut in a field: ${short(element.selectedOptions[0]?.text ?? '')} in ${name(element)}`);
    if (!element.closest('.cm-editor') && Math.min(box.width, box.height) < 23.5 && !element.matches('.link')) found.add(`small target: ${name(element)} ${Math.round(box.width)}×${Math.round(box.height)}`);
  }
  return [...found];
}
