import type * as Sdk from '@agentclientprotocol/sdk';
import { MissingPeerError } from '../../core/error/index.ts';

/** What is used of the package `@agentclientprotocol/sdk`. */
export type AcpSdk = Pick<typeof Sdk, 'client' | 'ndJsonStream' | 'RequestError'>;

/** @throws {MissingPeerError} when the package cannot be loaded; the reason is the cause. */
export async function loadAcpSdk(): Promise<AcpSdk> {
  return import('@agentclientprotocol/sdk').catch((cause: unknown) => {
    throw new MissingPeerError(
      'The package "@agentclientprotocol/sdk" could not be loaded. Install it with "npm install @agentclientprotocol/sdk" (version 2).',
      { cause, details: { package: '@agentclientprotocol/sdk', range: '^2.4.0' } },
    );
  });
}
