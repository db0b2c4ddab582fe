export { type StartedChild, startChild } from './client/child-process.ts';
export { killGroup } from './client/kill-group.ts';
export { CallEvents, type CallProgress } from './server/call-events.ts';
export type { HttpEndpoint } from './server/http-endpoint.ts';
export { type HttpServerOptions, openHttpServer } from './server/http-server.ts';
export { type ServedRuntimeOptions, ServedSession } from './server/served-session.ts';
export { randomId } from './wire/random-id.ts';
export { loadServerSdk, loadStdioSdk, type McpServerSdk } from './wire/sdk.ts';
