import type { Clock } from '../../../core/session/index.ts';
import type { Logger } from '../../../core/tool/index.ts';
import type { OpenCalls } from './open-calls.ts';
import type { ServedTools } from './served-tools.ts';

/** What the server of one connection is made of. */
export interface ProtocolServerOptions {
  readonly name: string;
  readonly version: string;
  readonly tools: ServedTools;
  /** The calls of the session, where questions go to the client. */
  readonly calls: OpenCalls;
  readonly clock: Clock;
  readonly logger: Logger;
}
