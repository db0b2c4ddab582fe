export { OutputWindow } from './process/output-window.ts';
export { pathVariable } from './process/run-process.ts';
export { type ProcessEnd, type ProcessOptions, startProcess } from './process/start-process.ts';
