import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { ToolRuntime, ToolRuntimeOutput } from '../../../core/evaluation/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { ModelTool, TraceContext } from '../../../core/runtime/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import { structuredSchemaOf, toolDeclaration } from '../wire/tool-declaration.ts';
import type { CallEvents, CallProgress } from './call-events.ts';
import type { StructuredResults } from './server-options.ts';

/** What {@link ServedTools} is made of. */
export interface ServedToolsOptions {
  readonly runtime: Pick<ToolRuntime, 'call' | 'instructions' | 'toolNamed' | 'tools'>;
  /** An observer of the runtime. */
  readonly events: CallEvents;
  /** Default: false. */
  readonly structured?: StructuredResults | undefined;
  /** Replaces the rendered prompt. */
  readonly instructions?: string | undefined;
}

/** One call, as a client made it. */
export interface ServedCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CallProgress) => void;
  /** The span of the client. */
  readonly trace: TraceContext | undefined;
}

/** The tools of one runtime, for any number of connections. */
export class ServedTools {
  readonly #options: ServedToolsOptions;
  readonly #listeners = new Set<() => void>();
  #listed: readonly ModelTool[];

  constructor(options: ServedToolsOptions) {
    this.#options = options;
    this.#listed = options.runtime.tools;
  }

  /** Text that explains the tools. */
  get instructions(): string {
    return this.#options.instructions ?? this.#options.runtime.instructions;
  }

  /** An id for the next call; no other call of the runtime has it. */
  nextCallId(): string {
    return this.#options.events.nextCallId();
  }

  has(name: string): boolean {
    return this.#options.runtime.toolNamed(name) !== undefined;
  }

  /** Whether this is a tool of files of the library. */
  isFileTool(name: string): boolean {
    return this.#options.runtime.toolNamed(name)?.['~files'] !== undefined;
  }

  get names(): readonly string[] {
    return this.#options.runtime.tools.map(({ name }) => name);
  }

  isStructured(name: string): boolean {
    const { structured = false } = this.#options;
    const isAsked = typeof structured === 'function' ? structured(name) : structured;
    return isAsked && structuredSchemaOf(this.#options.runtime.toolNamed(name)) !== undefined;
  }

  list(): McpTool[] {
    const { runtime } = this.#options;
    return runtime.tools.map((offered) =>
      toolDeclaration(offered, runtime.toolNamed(offered.name), this.isStructured(offered.name)),
    );
  }

  /** Calls `listener` when the list of tools has changed. @returns ends it. */
  onListChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Runs a call in the runtime; it begins at once.
   *
   * @throws what `ToolRuntime.call` throws.
   */
  async call({ signal, onProgress, trace, ...call }: ServedCall): Promise<ToolRuntimeOutput> {
    const { events, runtime } = this.#options;
    const unfollow = events.follow(call.callId, onProgress);
    try {
      return await runtime.call(call, { signal, ...present({ trace }) });
    } finally {
      unfollow();
      this.#announceList();
    }
  }

  #announceList(): void {
    const { tools } = this.#options.runtime;
    if (tools === this.#listed) return;
    this.#listed = tools;
    for (const listener of [...this.#listeners]) listener();
  }
}
