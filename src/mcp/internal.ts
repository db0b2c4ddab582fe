export { CallEvents, type CallProgress } from './server/call-events.ts';
export type { HttpEndpoint } from './server/http-endpoint.ts';
export { type HttpServerOptions, openHttpServer } from './server/http-server.ts';
export { type ServedRuntimeOptions, ServedSession } from './server/served-session.ts';
export { loadServerSdk, type McpServerSdk } from './wire/sdk.ts';
