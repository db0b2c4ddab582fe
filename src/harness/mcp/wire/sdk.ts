import type * as ClientSdk from '@modelcontextprotocol/client';
import type * as NodeSdk from '@modelcontextprotocol/node';
import type * as ServerSdk from '@modelcontextprotocol/server';
import type * as StdioSdk from '@modelcontextprotocol/server/stdio';
import { missingPeer, type PeerPackage } from '../../../core/error/index.ts';

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

// Most programs need one of the three.
const peer = (name: string): PeerPackage => ({ name, versions: '2', range: '^2' });

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export async function loadClientSdk(): Promise<McpClientSdk> {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (cause) {
    throw missingPeer(peer('@modelcontextprotocol/client'), cause);
  }
}

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export async function loadServerSdk(): Promise<McpServerSdk> {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (cause) {
    throw missingPeer(peer('@modelcontextprotocol/server'), cause);
  }
}

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export async function loadStdioSdk(): Promise<McpStdioSdk> {
  try {
    return await import('@modelcontextprotocol/server/stdio');
  } catch (cause) {
    throw missingPeer(peer('@modelcontextprotocol/server'), cause);
  }
}

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export async function loadNodeSdk(): Promise<McpNodeSdk> {
  try {
    return await import('@modelcontextprotocol/node');
  } catch (cause) {
    throw missingPeer(peer('@modelcontextprotocol/node'), cause);
  }
}
