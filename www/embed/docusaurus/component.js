// The effects of DaemonSetPlayground.jsx without React: the module is imported by script, the element made, removed and made
// again as a component is.
document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: '../../daemonset-playground.js' }));
const place = document.getElementById('place');
const goals = document.getElementById('goals');

function effect() {
  const element = document.createElement('daemonset-playground');
  for (const [name, value] of Object.entries({ src: '../scenario.yaml', view: 'cluster,transport', loading: 'eager' })) element.setAttribute(name, value);
  element.addEventListener('goal', ({ detail }) => (goals.textContent = String(detail.reached)));
  place.replaceChildren(element);
  return () => element.remove();
}
let cleanUp = effect();
document.getElementById('remount').addEventListener('click', () => {
  cleanUp();
  cleanUp = effect();
});
