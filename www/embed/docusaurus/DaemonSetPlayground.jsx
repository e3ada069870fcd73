// src/components/DaemonSetPlayground.jsx of a Docusaurus site; the site that `make build` makes lies in static/playground/.
//
//   <DaemonSetPlayground view="cluster,transport" step="end" scenario={`log: [{run: sim add-node worker1}]`} />
import React, { useEffect, useRef } from 'react';
import useBaseUrl from '@docusaurus/useBaseUrl';

export default function DaemonSetPlayground({ scenario, onStep, onGoal, ...attributes }) {
  const place = useRef(null);
  const script = useBaseUrl('/playground/daemonset-playground.js');

  useEffect(() => {
    // Not while the page is made on the server, and not by the bundler, which would look for the script at build time. The
    // browser runs a module once, however many components there are.
    document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: script }));
  }, [script]);

  useEffect(() => {
    const element = document.createElement('daemonset-playground');
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    if (scenario) element.append(Object.assign(document.createElement('script'), { type: 'text/yaml', textContent: scenario }));
    const heard = { step: onStep, goal: onGoal };
    for (const [name, listener] of Object.entries(heard)) if (listener) element.addEventListener(name, (event) => listener(event.detail));
    place.current.replaceChildren(element);
    return () => element.remove();
  }, [scenario, JSON.stringify(attributes)]);

  return <div ref={place} />;
}
