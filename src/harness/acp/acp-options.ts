import type { ProviderAdapter } from '../../core/evaluation/index.ts';

/** What an agent asks permission for, as it describes it. Untrusted text: parts of it may be from the model. */
export interface AcpPermissionRequest {
  /** What the agent shows for the call, such as a name or a command. */
  readonly title: string;
  /** Its kind, such as `execute`, `edit` or `other`; undefined when the agent does not say. */
  readonly kind: string | undefined;
  /** The arguments of the call as the agent has them. */
  readonly rawInput: unknown;
}

/** Decides about calls of the agent's own tools. May throw: the call is then rejected. */
export type AcpPermissions = (request: AcpPermissionRequest) => boolean;

/** Options of `acp()`. */
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
  /** Shown in events and errors. Default: `acp` and the name of the command. */
  readonly name?: string;
  /** What handlers evaluate prompts on (`context.adapter`), an adapter of a model. Default: none. */
  readonly adapter?: ProviderAdapter;
}
