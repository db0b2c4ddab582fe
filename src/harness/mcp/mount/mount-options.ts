import {
  assertOptions,
  integer,
  type LimitsOf,
  listOf,
  matching,
  maxTimerMs,
  type OptionsOf,
  oneOf,
  rule,
} from '../../../core/error/index.ts';
import type { ToolPolicy } from '../../../core/policy/index.ts';
import type { Section } from '../../../core/prompt/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { Logger } from '../../../core/tool/index.ts';
import { assertServer, type McpMountedServer, type McpProtocol, refused } from '../client/mounted-server.ts';

/** What a mounted tool changes: nothing (`'read'`), or the world outside (`'external'`). No change of a server can be taken back. */
export type McpToolEffects = 'read' | 'external';

/** A kind of media that results of mounted tools may attach: `image` is PNG, JPEG, GIF or WebP. */
export type McpAttachmentKind = 'image' | 'pdf' | 'audio';

/** A tool of a server, for a function that chooses tools. All texts are the server's. */
export interface McpListedTool {
  /** Its name at the server. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** What the server says about the tool, true or not. */
  readonly annotations?: {
    readonly readOnlyHint?: boolean | undefined;
    readonly destructiveHint?: boolean | undefined;
    readonly idempotentHint?: boolean | undefined;
    readonly openWorldHint?: boolean | undefined;
  };
}

/** A change of the tools that a server offers. The names are those at the server. */
export interface McpToolsChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Tools of which a text, a schema or an annotation has changed. */
  readonly changed: readonly string[];
  /** The hash of the tools as they are now. */
  readonly pin: string;
}

/** Bounds of a mounted server. */
export interface McpMountLimits {
  /** Milliseconds for the start of the server, the handshake and the list of tools together, above 0. Default: 30,000. */
  readonly connectTimeoutMs: number;
  /** Milliseconds that a call may take without progress, above 0; each report of progress begins them anew. Default: 60,000. */
  readonly callTimeoutMs: number;
  /** Milliseconds that a call may take in all, above 0. Default: 600,000. */
  readonly maxTotalTimeoutMs: number;
  /** Most characters of the text of a result, from 100 on; a longer one is cut. Default: 100,000. */
  readonly maxResultCharacters: number;
  /** Most bytes of the media that one result attaches; a larger one is named in the text instead. Default: 5,242,880 (5 MiB). */
  readonly maxAttachmentBytes: number;
}

/** Options of `openMcpSection()`. */
export interface McpSectionOptions {
  /** Heading of the section. */
  readonly title: string;
  /** Key of the section, and the name of the server in texts for the model, in errors and in the log. */
  readonly key: string;
  /** Where the server is. */
  readonly server: McpMountedServer;
  /** Instructions for the tools, without params. Default: none beside the note that texts of the tools are the server's. */
  readonly template?: string;
  /**
   * Which tools are mounted, by their names at the server: names, or patterns in which `*` represents any characters; or a function, which may throw. A name or
   * pattern that fits no tool is refused. Default: all.
   */
  readonly include?: readonly string[] | ((tool: McpListedTool) => boolean);
  /** Put in front of the name of each tool, such as `files_`: 1 to 32 of `a-z`, `0-9`, `_`, `-`. Default: none. */
  readonly prefix?: string;
  /**
   * What tools change, by their names at the server; wins over annotations. `'read'` says that it does not matter how often, when and beside which other calls the tool runs: its calls
   * run in parallel, and again after a conflict or a crash. Default: `'external'`.
   */
  readonly effects?: Readonly<Record<string, McpToolEffects>>;
  /** Tools, by their names at the server, for which a call twice does no more than once: a run that is resumed after a crash calls them again. Default: none. */
  readonly idempotent?: readonly string[];
  /** Whether what the server says of its tools is believed: `readOnlyHint` makes one `'read'`, `idempotentHint` idempotent. Default: false. */
  readonly trustAnnotations?: boolean;
  /** Rules for these tools. Default: none. */
  readonly policies?: readonly ToolPolicy[];
  /**
   * The hash that the mounted tools must have, as `section.pin` of an earlier opening says it: 64 hexadecimal digits. With another one the section is not opened, and the
   * error has the actual hash. Default: any tools.
   */
  readonly pin?: string;
  /**
   * What happens when the server changes its tools. `'refuse'`: a tool that is gone or is not as it was fails when it is called, the others stay. `'refresh'`: the change is
   * accepted. A function is asked about each change, and accepts it with `true`; it may throw, which refuses the change. Default: `'refuse'`.
   */
  readonly onListChanged?: 'refuse' | 'refresh' | ((change: McpToolsChange) => boolean | Promise<boolean>);
  /** Kinds of media that the model gets as such. Others are named in the text of the result. Default: `['image']`; name only what the model takes. */
  readonly attachments?: readonly McpAttachmentKind[];
  /** Bounds; those left out keep their defaults. */
  readonly limits?: Partial<McpMountLimits>;
  /**
   * How the version of the protocol is found. Default: `'legacy'` for a child process, where asking would cost a second start of some servers; `'auto'` over HTTP.
   */
  readonly protocol?: McpProtocol;
  /** Whether overrides may replace the texts of the section and of its tools. Default: true. */
  readonly acceptsOverrides?: boolean;
  /** Gets what the operator of a server should know. Default: none. */
  readonly logger?: Logger;
  /** For time limits and waits. Default: the system clock. */
  readonly clock?: Clock;
}

const timeout = { min: 1, max: maxTimerMs };
/** What the bounds must be. */
export const mountLimitChecks: LimitsOf<McpMountLimits> = {
  connectTimeoutMs: integer({ ...timeout, default: 30_000 }),
  callTimeoutMs: integer({ ...timeout, default: 60_000 }),
  maxTotalTimeoutMs: integer({ ...timeout, default: 600_000 }),
  maxResultCharacters: integer({ min: 100, max: 10_000_000, default: 100_000 }),
  maxAttachmentBytes: integer({ min: 1, max: 15_728_640, default: 5_242_880 }),
};

const mountChecks: OptionsOf<McpSectionOptions> = {
  title: 'string!',
  key: 'string!',
  server: 'any',
  template: 'string',
  include: rule(
    (include) => typeof include === 'function' || isTexts(include),
    'a list of names, or a function',
  ),
  prefix: matching(/^[a-z0-9_-]{1,32}$/, '1 to 32 lower-case letters, digits, "_" or "-"'),
  effects: 'object',
  idempotent: rule(isTexts, 'a list of names'),
  trustAnnotations: 'boolean',
  policies: 'array',
  pin: matching(/^[0-9a-f]{64}$/, '64 hexadecimal digits'),
  onListChanged: rule(
    (decide) => typeof decide === 'function' || decide === 'refuse' || decide === 'refresh',
    "'refuse', 'refresh' or a function",
  ),
  attachments: listOf<McpAttachmentKind>(
    (kind) => kind === 'image' || kind === 'pdf' || kind === 'audio',
    "a list of 'image', 'pdf' or 'audio'",
  ),
  limits: mountLimitChecks,
  protocol: oneOf(['legacy', 'auto', '2026-07-28']),
  acceptsOverrides: 'boolean',
  logger: 'object',
  clock: 'object',
};

/** @throws {PromptValidationError} for an option that cannot be used, whatever the server offers. */
export function checkMountOptions(of: string, options: McpSectionOptions): void {
  assertOptions(of, options, mountChecks);
  const { effects = {}, onListChanged, pin } = options;
  assertServer(of, options.server);
  for (const [name, value] of Object.entries<unknown>(effects)) {
    if (value === 'read' || value === 'external') continue;
    const why = value === 'state' ? ": no change of a server can be taken back, as those of 'state' are" : '';
    throw refused(of, `effects.${name}`, `must be 'read' or 'external'${why}`);
  }
  if (pin !== undefined && onListChanged === 'refresh') {
    throw refused(
      of,
      'onListChanged',
      "cannot be 'refresh' beside a pin, which allows no other tools; give a function to approve them",
    );
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** A tool that cannot be offered. */
export interface McpSkippedTool {
  /** Its name at the server. */
  readonly name: string;
  readonly reason: string;
}

/** A pattern of a tool's schema that nothing is checked with, because it cannot be searched for in linear time. */
export interface McpUncheckedPattern {
  /** The name of the tool at the server. */
  readonly name: string;
  /** Which values are not checked with it. */
  readonly of: 'arguments' | 'results';
  readonly pattern: string;
}

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
  /** Tools of the server that cannot be offered, and why; those that `include` leaves out are not among them. */
  readonly skippedTools: readonly McpSkippedTool[];
  /**
   * Patterns of the schemas of these tools that arguments, or results, are not checked with: those that the linear engine cannot read (look-around, references back), or that
   * are too large.
   */
  readonly uncheckedPatterns: readonly { [Name in keyof McpUncheckedPattern]: McpUncheckedPattern[Name] }[];
  /** Ends the server, or the session with it. Calls that run fail. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}
