import type * as ClientSdk from '@modelcontextprotocol/client';
import type * as NodeSdk from '@modelcontextprotocol/node';
import type * as ServerSdk from '@modelcontextprotocol/server';
import type * as StdioSdk from '@modelcontextprotocol/server/stdio';
import { loadPeer } from '../../../core/error/index.ts';

/** What is used of the package `@modelcontextprotocol/server`. */
export type McpServerSdk = Pick<
  typeof ServerSdk,
  | 'McpServer'
  | 'ProtocolError'
  | 'ProtocolErrorCode'
  | 'WebStandardStreamableHTTPServerTransport'
  | 'createMcpHandler'
  | 'inputRequired'
  | 'isInitializeRequest'
  | 'isJsonContentType'
  | 'isLegacyRequest'
>;

/** What is used of `@modelcontextprotocol/server/stdio`. */
export type McpStdioSdk = Pick<typeof StdioSdk, 'StdioServerTransport' | 'serveStdio'>;

/** What is used of the package `@modelcontextprotocol/node`. */
export type McpNodeSdk = Pick<typeof NodeSdk, 'toNodeHandler'>;

/** What is used of the package `@modelcontextprotocol/client`. */
export type McpClientSdk = Pick<
  typeof ClientSdk,
  | 'Client'
  | 'ProtocolError'
  | 'SdkError'
  | 'SdkErrorCode'
  | 'SdkHttpError'
  | 'StreamableHTTPClientTransport'
  | 'isJSONRPCErrorResponse'
  | 'isJSONRPCRequest'
  | 'isJSONRPCResultResponse'
  | 'parseJSONRPCMessage'
>;

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export const loadClientSdk = (): Promise<McpClientSdk> =>
  loaded('@modelcontextprotocol/client', () => import('@modelcontextprotocol/client'));

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export const loadServerSdk = (): Promise<McpServerSdk> =>
  loaded('@modelcontextprotocol/server', () => import('@modelcontextprotocol/server'));

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export const loadStdioSdk = (): Promise<McpStdioSdk> =>
  loaded('@modelcontextprotocol/server', () => import('@modelcontextprotocol/server/stdio'));

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export const loadNodeSdk = (): Promise<McpNodeSdk> =>
  loaded('@modelcontextprotocol/node', () => import('@modelcontextprotocol/node'));

function loaded<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  return loadPeer(name, { versions: '2', range: '^2' }, load);
}
