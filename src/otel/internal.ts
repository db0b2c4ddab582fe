export { runIn } from './active-context.ts';
export { createOtelObserver } from './otel-observer.ts';
