// Works without a network after the first visit: registers the service worker (sw.js), and says when another version of
// the site is ready to be used.

/** The worker of another version that waits for the person's word. */
let waiting;

/**
 * Registers the service worker, if the site has one (a development server has not).
 * @param {() => void} onUpdate another version is ready
 */
export async function workOffline(onUpdate) {
  const link = document.getElementById('service-worker');
  if (!link || !('serviceWorker' in navigator)) return;
  // It fetches the whole site: after what the page itself still fetches.
  await globalThis.playgroundRest?.whenWhole;
  try {
    const registration = await navigator.serviceWorker.register(link.href, { scope: './' });
    const tell = (worker) => {
      // The first version of all replaces nothing.
      if (!worker || !navigator.serviceWorker.controller) return;
      waiting = worker;
      onUpdate();
    };
    tell(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => {
        if (worker.state === 'installed') tell(worker);
      });
    });
  } catch {
    // Without storage or permission the playground needs the network, as any page does.
  }
}

/** Goes on with the other version. */
export function useUpdate() {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  waiting?.postMessage('use-update');
}
