import type * as Sdk from '@agentclientprotocol/sdk';
import { missingPeer } from '../../core/error/index.ts';

/** What is used of the package `@agentclientprotocol/sdk`. */
export type AcpSdk = Pick<typeof Sdk, 'client' | 'ndJsonStream' | 'RequestError'>;

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export async function loadAcpSdk(): Promise<AcpSdk> {
  try {
    return await import('@agentclientprotocol/sdk');
  } catch (cause) {
    throw missingPeer({ name: '@agentclientprotocol/sdk', versions: '2', range: '^2.4.0' }, cause);
  }
}
