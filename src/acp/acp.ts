import { assertOptions } from '../error/index.ts';
import type { ProviderAdapter } from '../evaluation/index.ts';
import { harnessAdapter } from '../provider/index.ts';
import { acpHarness } from './acp-harness.ts';
import type { AcpPermissions } from './permissions.ts';

/** Options of {@link acp}. */
export interface AcpOptions {
  /** The agent: a program that speaks the Agent Client Protocol over its standard input and output, such as `opencode`. Never a line for a shell. */
  readonly command: string;
  /** Its arguments, such as `['acp']`. Default: none. */
  readonly args?: readonly string[];
  /**
   * Its environment variables, beside `PATH`, `HOME`, `TMPDIR`, `LANG`, `LC_ALL` and `TZ` of this process. Nothing else of this process's environment is passed on, so that the key
   * of its provider is named here. Default: none.
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The folder that the agent works in with its own tools, which are outside of every transaction. Default: an empty folder that is removed at the end of the
   * run.
   */
  readonly cwd?: string;
  /**
   * Decides about calls of the agent's own tools for which it asks permission. Tools of the prompt are always allowed: policies decide about them. Default: all
   * are rejected.
   */
  readonly permissions?: AcpPermissions;
  /** How long the agent may take to start a session, in milliseconds, from 1. Default 120,000. */
  readonly startTimeoutMs?: number;
  /** Shown in events and errors. Default: `acp` and the name of the command. */
  readonly name?: string;
  /** What handlers evaluate prompts on (`context.adapter`), an adapter of a model. Default: none. */
  readonly adapter?: ProviderAdapter;
}

/**
 * An adapter for an agent that speaks the Agent Client Protocol: OpenCode, Codex through its bridge, Gemini CLI and others. The agent runs its own loop with its own model; its model gets
 * the tools of the prompt over the Model Context Protocol, and every call of them is a transaction under the policies of the prompt. Each run starts an agent of its own.
 *
 * The prompt is the beginning of the first message, since the protocol has no place for instructions. A structured answer is given by the tool `finish`. What the protocol does not
 * report, such as tokens and single turns, is refused as an option: `limits.budget`, `limits.maxTurns`.
 *
 * @throws {PromptValidationError} for an option of the wrong kind or out of its range.
 * @see docs/spec/harnesses.md §5
 */
export function acp(options: AcpOptions): ProviderAdapter {
  assertOptions('acp()', options, {
    command: 'string!',
    args: 'array',
    env: 'object',
    cwd: 'string',
    permissions: 'function',
    startTimeoutMs: 'number',
    name: 'string',
    adapter: 'object',
  });
  const { adapter, ...harness } = options;
  return harnessAdapter({
    harness: acpHarness(harness),
    ...(adapter === undefined ? {} : { adapter }),
  });
}
