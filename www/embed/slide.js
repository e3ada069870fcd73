// What reveal.js does with slides, as far as an element notices: only the present slide is displayed, all are scaled by a
// transform, and the arrow keys turn the slides, unless a control has the focus.
const slides = [...document.querySelectorAll('.slides > section')];
const frame = document.querySelector('.slides');
const fit = () => frame.style.setProperty('transform', `scale(${Math.min(innerWidth / 960, innerHeight / 700)})`);
addEventListener('resize', fit);
fit();

let at = 0;
addEventListener('keydown', (event) => {
  if (event.composedPath().some((target) => target.localName === 'daemonset-playground')) return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  at = Math.min(Math.max(at + by, 0), slides.length - 1);
  slides.forEach((slide, index) => slide.classList.toggle('present', index === at));
});
