import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { describeError } from '../../../core/error/index.ts';
import { shorten } from '../../../core/internal/index.ts';
import type { AnyTool } from '../../../core/tool/index.ts';
import type { MountedAs, ToolSelection } from './choose-tools.ts';
import type { McpSectionOptions, McpToolsChange } from './mount-options.ts';
import type { RemoteTool } from './remote-tool.ts';

/** A call may be made, with the definition that the server has now. */
export interface CallPermission {
  readonly kind: 'allowed';
  readonly definition: McpTool;
}

/** A call is not made. */
export interface NotCalled {
  readonly kind: 'not-called';
  readonly problem: string;
}

type MountedToolsOptions = Required<Pick<McpSectionOptions, 'key' | 'logger' | 'onListChanged'>>;

/**
 * The tools that are mounted, and those that the server offers now. A call is made only of a tool that the server still has as it is mounted, or whose change was
 * accepted.
 *
 * @see docs/spec/mcp.md §10
 */
export class MountedTools {
  readonly #options: MountedToolsOptions;
  readonly #choose: (listed: readonly McpTool[]) => Promise<ToolSelection>;
  /** What prompts are offered. */
  #accepted: ToolSelection | undefined;
  /** What the server has, by the names there. */
  #present: ReadonlyMap<string, PresentTool> = new Map();

  constructor(options: MountedToolsOptions, choose: (listed: readonly McpTool[]) => Promise<ToolSelection>) {
    this.#options = options;
    this.#choose = choose;
  }

  get choice(): ToolSelection {
    if (this.#accepted === undefined) throw new TypeError('The tools of the server have not been listed.');
    return this.#accepted;
  }

  get tools(): readonly AnyTool[] {
    return this.choice.tools.map(({ tool }) => tool);
  }

  /**
   * Takes over the first list of the server, and compares a later one.
   *
   * @throws what `choose` throws for the first one.
   */
  async update(listed: readonly McpTool[]): Promise<void> {
    const { key, logger } = this.#options;
    if (this.#accepted === undefined) {
      this.#accept(await this.#choose(listed));
      return;
    }
    let next: ToolSelection;
    try {
      next = await this.#choose(listed);
    } catch (error) {
      logger.error('The tools of an MCP server have changed and cannot be mounted as they are now.', {
        server: key,
        error: describeError(error),
      });
      this.#present = new Map();
      return;
    }
    if (next.pin === this.choice.pin) this.#accept(next);
    else if (await this.#isAccepted(next)) this.#accept(next);
    else this.#present = presentTools(next);
  }

  /** Whether a tool that is mounted as `as` may be called now. */
  permission(remote: RemoteTool, as: MountedAs): CallPermission | NotCalled {
    const { key } = this.#options;
    const found = this.#present.get(remote.name);
    if (found === undefined) {
      return refusal(
        `The MCP server "${key}" does not offer the tool "${as.name}" any more. Continue without it.`,
      );
    }
    const { definition } = found.remote;
    if (found.remote.digest === remote.digest) return { kind: 'allowed', definition };
    const accepted = this.choice.tools.find(({ remote: { name } }) => name === remote.name);
    const isAccepted = accepted?.remote.digest === found.remote.digest && found.as.effects === as.effects;
    return isAccepted
      ? { kind: 'allowed', definition }
      : refusal(
          `The MCP server "${key}" has changed the tool "${as.name}" since it was mounted, and the change was not accepted. Continue without it.`,
        );
  }

  #accept(choice: ToolSelection): void {
    this.#accepted = choice;
    this.#present = presentTools(choice);
    for (const { name, reason } of choice.skipped) {
      this.#options.logger.warn('A tool of an MCP server cannot be offered.', {
        server: this.#options.key,
        tool: name,
        reason,
      });
    }
    for (const { name, of, pattern } of choice.tools.flatMap(({ unchecked }) => unchecked)) {
      this.#options.logger.warn('A pattern of a tool of an MCP server is not checked.', {
        server: this.#options.key,
        tool: name,
        of,
        pattern: shorten(pattern, 200),
      });
    }
  }

  async #isAccepted(next: ToolSelection): Promise<boolean> {
    const { key, logger } = this.#options;
    const change = changeBetween(this.choice, next);
    let isAccepted = false;
    try {
      isAccepted = await this.#ask(change);
    } catch (error) {
      logger.error('The function that decides about changed tools of an MCP server failed.', {
        server: key,
        error: describeError(error),
      });
    }
    const message = isAccepted
      ? 'An MCP server has changed its tools. The change was accepted.'
      : 'An MCP server has changed its tools. Calls of those that were changed are refused.';
    logger.warn(message, { server: key, ...change });
    return isAccepted;
  }

  async #ask(change: McpToolsChange): Promise<boolean> {
    const { onListChanged } = this.#options;
    if (typeof onListChanged !== 'function') return onListChanged === 'refresh';
    const answer: unknown = await onListChanged(change);
    // Anything but a clear yes is a no.
    return answer === true;
  }
}

interface PresentTool {
  readonly remote: RemoteTool;
  readonly as: MountedAs;
}

function presentTools({ tools }: ToolSelection): ReadonlyMap<string, PresentTool> {
  return new Map(tools.map((chosen) => [chosen.remote.name, { remote: chosen.remote, as: chosen }]));
}

function changeBetween(before: ToolSelection, after: ToolSelection): McpToolsChange {
  const old = new Map(before.tools.map(({ remote }) => [remote.name, remote.digest]));
  const now = new Map(after.tools.map(({ remote }) => [remote.name, remote.digest]));
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now].flatMap(([name, digest]) => (old.has(name) && old.get(name) !== digest ? [name] : [])),
    pin: after.pin,
  };
}

function refusal(problem: string): NotCalled {
  return { kind: 'not-called', problem };
}
