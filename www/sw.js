// The service worker: after the first visit the playground works without a network. Every file of the site is kept in a
// cache that carries the version of the whole site, so that no page ever mixes the files of two versions.
// scripts/finish-dist.mjs writes the version and the list of files into the copy that is served.
const VERSION = '__VERSION__';
const FILES = __FILES__;

// Several copies of the playground may live on one origin, each below a path of its own.
const PREFIX = `daemonset-playground ${registration.scope} `;
const NAME = PREFIX + VERSION;

addEventListener('install', (event) => {
  // `reload`: a version must not be put together from what the browser kept of another one.
  const requests = FILES.map((file) => new Request(file, { cache: file === './' ? 'reload' : 'default' }));
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(requests)));
});

addEventListener('activate', (event) => {
  const forget = (names) => Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(forget).then(() => clients.claim()));
});

// The page says when the person wants the new version.
addEventListener('message', ({ data }) => {
  if (data === 'use-update') skipWaiting();
});

async function answer(request) {
  const cache = await caches.open(NAME);
  const kept = await cache.match(request, { ignoreSearch: request.mode === 'navigate' });
  if (kept) return kept;
  try {
    return await fetch(request);
  } catch (error) {
    // Any address below the site shows the page.
    const page = request.mode === 'navigate' ? await cache.match('./') : undefined;
    if (page) return page;
    throw error;
  }
}

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && request.url.startsWith(registration.scope)) event.respondWith(answer(request));
});
