import type { Section } from '../../../core/prompt/index.ts';
import type { McpSkippedTool } from './skipped-tool.ts';

/** Params that a section without params of its own needs: none. */
type NoSectionParams = Record<never, never>;

/**
 * A section with the tools of a server, for templates. A template has the tools that the section has when it is made. Disposing the section ends the server, or the session with
 * it; the tools of every template then fail.
 */
export interface McpSection
  extends Section<NoSectionParams, { readonly params: undefined; readonly children: NoSectionParams }>,
    AsyncDisposable {
  /** The hash of the tools as they are mounted, for the option `pin`: 64 hexadecimal digits. Another one once a change was accepted. */
  readonly pin: string;
  /** Tools of the server that cannot be offered, and why; those that `include` leaves out are none of them. */
  readonly skippedTools: readonly McpSkippedTool[];
  /** Ends the server, or the session with it. Calls that run fail. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}
