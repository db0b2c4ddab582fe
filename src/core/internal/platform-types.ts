// What the declarations of this package name of the platform. The declarations of each entry refer to this module (`scripts/build.mjs`), so that they
// compile whichever types of a platform a project has: those of the DOM, a worker or Node, which fill these interfaces, or none.

declare global {
  interface AbortController {}
  interface AbortSignal {}
  interface DOMException {}
  interface URL {}
}

/** The type of the global `fetch`; any function where the project has no types of a platform. */
export type FetchFunction = typeof globalThis extends { fetch: infer Fetch }
  ? Fetch
  : (...parameters: never[]) => Promise<unknown>;
