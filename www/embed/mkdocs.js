// Instant navigation as MkDocs Material does it: a link replaces the content of the page, the scripts stay.
const PAGES = {
  a: '<h1>Page A</h1><daemonset-playground src="scenario.yaml" step="end" loading="eager" height="360"></daemonset-playground>',
  b: '<h1>Page B</h1><p>The same with its story:</p><daemonset-playground src="scenario.yaml" view="cluster,story,transport" step="end" loading="eager" height="360"></daemonset-playground>',
};
const main = document.querySelector('main');

function show(page) {
  const content = new DOMParser().parseFromString(PAGES[page] ?? PAGES.a, 'text/html');
  main.replaceChildren(...content.body.childNodes);
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link) return;
  event.preventDefault();
  history.pushState({}, '', link.href);
  show(new URL(link.href).searchParams.get('page'));
});
addEventListener('popstate', () => show(new URLSearchParams(location.search).get('page')));
show(new URLSearchParams(location.search).get('page'));
