import { join } from 'node:path';
import {
  assertOptions,
  listOf,
  type OptionsOf,
  oneOf,
  PromptValidationError,
} from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type { ReasoningEffort, TokenPrices } from '../../core/tool/index.ts';
import { openPrivateFolder } from '../../host/index.ts';
import {
  type AgentHarness,
  AnswerSchema,
  type HarnessCapabilities,
  type HarnessCheck,
  type HarnessOutcome,
  type HarnessRequest,
  type HarnessRunOptions,
  harnessAdapter,
} from '../kit/index.ts';
import { CallEvents, loadServerSdk, ServedSession } from '../mcp/index.ts';
import { ClaudeRun } from './claude-run.ts';
import { judgeOwnTool, serverName, toolPrefix } from './own-tools.ts';
import {
  type ClaudeAgentSdk,
  type ClaudeQueryOptions,
  type ClaudeToolHook,
  loadClaudeAgentSdk,
} from './sdk.ts';
import { ClaudeProcesses, claudeEnvironment } from './spawn.ts';
import { WorkFolder } from './work-folder.ts';

/** Options of {@link claudeAgent}. Everything is optional. */
export interface ClaudeAgentOptions {
  /** The model, as Claude Code names it. Default: the one that Claude Code chooses. */
  readonly model?: string;
  /**
   * Tools of Claude Code that its model gets beside those of the prompt, such as `Read`, `Edit` and `Bash`. They work on a copy of the files of the prompt, which must bind a
   * `Filesystem`; what they have changed is put on these files with each answer, in one call of `harness_files` that policies judge. What a
   * command of `Bash` does outside of the copy is not undone. Default: none.
   */
  readonly builtinTools?: readonly string[];
  /** Settings of the model; those of an evaluation take precedence. Default: those of Claude Code. */
  readonly settings?: { readonly reasoningEffort?: ReasoningEffort };
  /**
   * Variables for Claude Code, over those that it gets: `PATH`, locale, proxies, and its credentials of this process (`ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`,
   * `ANTHROPIC_BASE_URL`, `CLAUDE_CODE_OAUTH_TOKEN`). `HOME` and `CLAUDE_CONFIG_DIR` are a private folder. Default: none.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Path of the program of Claude Code. Default: the one that comes with the SDK. */
  readonly executable?: string;
  /** What the model costs, for budgets that do not say. Default: not known; a budget that limits the cost is then refused. */
  readonly prices?: TokenPrices;
  /** What handlers evaluate prompts on: the adapter of a model. Default: such an evaluation fails, and with it the call. */
  readonly adapter?: ProviderAdapter;
  /** Shown in events and errors. Default: `claude-agent`. */
  readonly name?: string;
  /** Takes the place of the package `@anthropic-ai/claude-agent-sdk`. Default: the package. */
  readonly sdk?: ClaudeAgentSdk;
}

/**
 * An adapter that runs agents on Claude Code, through the package `@anthropic-ai/claude-agent-sdk`: Claude Code asks its model, and the model calls the tools of the prompt in
 * this process. Each evaluation starts a process of its own, with a clean environment, without the user's settings, and without the tools of Claude Code.
 *
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @throws {MissingPeerError} when an evaluation starts and the package, or `@modelcontextprotocol/server`, is not installed: as the cause of its error.
 * @see docs/spec/harnesses.md §6
 */
export function claudeAgent(options: ClaudeAgentOptions = {}): ProviderAdapter {
  assertOptions('claudeAgent()', options, claudeChecks);
  const { adapter, builtinTools = [], name, ...others } = options;
  const harness = new ClaudeHarness({ ...others, builtinTools: [...builtinTools] });
  return harnessAdapter({ harness, ...present({ adapter, name }) });
}

/** The efforts that Claude Code knows. */
const effort = oneOf(['low', 'medium', 'high', 'xhigh', 'max']);

const claudeChecks: OptionsOf<ClaudeAgentOptions> = {
  model: 'string',
  builtinTools: listOf<string>(
    (tool) => typeof tool === 'string' && /^[A-Za-z]+$/.test(tool),
    'a list of names of tools of Claude Code, such as "Read"',
  ),
  settings: { reasoningEffort: effort },
  env: 'object',
  executable: 'string',
  prices: 'object',
  adapter: 'object',
  name: 'string',
  sdk: 'object',
};

/** Claude Code, through its Agent SDK: a process for each run, which gets the tools from a server in this process. */
class ClaudeHarness implements AgentHarness {
  readonly name = 'claude-agent';
  readonly provider = 'anthropic';
  readonly model?: string;
  readonly prices?: TokenPrices;
  readonly capabilities: HarnessCapabilities = {
    input: ['image'],
    settings: ['reasoningEffort'],
    turns: true,
    streaming: true,
    usage: true,
    outputSchema: true,
    followUps: true,
    addedTools: true,
  };
  readonly #options: ClaudeAgentOptions;

  constructor(options: ClaudeAgentOptions) {
    const { model, prices } = options;
    this.#options = options;
    if (model !== undefined) this.model = model;
    if (prices !== undefined) this.prices = prices;
  }

  get #usesBuiltinTools(): boolean {
    return (this.#options.builtinTools ?? []).length > 0;
  }

  check({ hasFiles, settings: { reasoningEffort } }: HarnessCheck): void {
    if (reasoningEffort !== undefined && !effort.isUsable(reasoningEffort)) {
      throw new PromptValidationError(
        `The harness "${this.name}" does not know the reasoningEffort "${reasoningEffort}". Use ${effort.what}.`,
        { details: { option: 'settings.reasoningEffort', harness: this.name } },
      );
    }
    if (this.#usesBuiltinTools && !hasFiles) {
      throw new PromptValidationError(
        `The harness "${this.name}" does not honor builtinTools: they work on a copy of the files of a prompt, and this prompt binds no Filesystem. Bind one, or leave builtinTools out.`,
        { details: { option: 'builtinTools', harness: this.name } },
      );
    }
  }

  async run(request: HarnessRequest, options: HarnessRunOptions): Promise<HarnessOutcome> {
    const { sdk: given } = this.#options;
    const [sdk, serverSdk] = await Promise.all([given ?? loadClaudeAgentSdk(), loadServerSdk()]);
    await using folder = await openPrivateFolder();
    const home = folder.path;
    const events = new CallEvents();
    const endEvents = request.tools.onEvent((event) => events.onEvent(event));
    const processes = new ClaudeProcesses(options.clock, options.logger);
    // A run that was stopped asks its model nothing more: nothing is kept of the program that it would have to write.
    const kill = (): void => processes.kill();
    options.signal.addEventListener('abort', kill, { once: true });
    try {
      await using work = await WorkFolder.open(request, {
        empty: join(home, 'work'),
        isCopy: this.#usesBuiltinTools,
        signal: options.signal,
      });
      await using session = ServedSession.of(
        serverSdk,
        { runtime: request.tools, events },
        { name: serverName, version: '1', instructions: '', logger: options.logger },
      );
      const server = session.createServer();
      const endNotices = session.notifyListChanged(server);
      try {
        const queryOptions = this.#queryOptions(request, { home, server, processes, work });
        return await new ClaudeRun(request, options, work).play(sdk, queryOptions);
      } finally {
        endNotices();
        await server.close().catch(() => undefined);
      }
    } finally {
      options.signal.removeEventListener('abort', kill);
      endEvents();
      await processes.end();
    }
  }

  #queryOptions(
    { instructions, outputSchema, settings: asked }: HarnessRequest,
    parts: {
      readonly home: string;
      readonly server: unknown;
      readonly processes: ClaudeProcesses;
      readonly work: WorkFolder;
    },
  ): Omit<ClaudeQueryOptions, 'abortController'> {
    const { builtinTools = [], env = {}, executable, model, settings } = this.#options;
    const { reasoningEffort } = { ...settings, ...asked };
    return {
      cwd: parts.work.path,
      env: claudeEnvironment(parts.home, env),
      ...present({ model, effort: reasoningEffort, pathToClaudeCodeExecutable: executable }),
      systemPrompt: instructions,
      tools: builtinTools,
      allowedTools: [`${toolPrefix}*`],
      hooks: { PreToolUse: [{ hooks: [hookFor(builtinTools, parts.work.path)] }] },
      permissionMode: 'default',
      settingSources: [],
      strictMcpConfig: true,
      mcpServers: { [serverName]: { type: 'sdk', name: serverName, instance: parts.server } },
      includePartialMessages: true,
      persistSession: false,
      ...present({
        outputFormat:
          outputSchema === undefined
            ? undefined
            : { type: 'json_schema', schema: new AnswerSchema(outputSchema).wire },
      }),
      spawnClaudeCodeProcess: (spawn) => parts.processes.spawn(spawn),
    };
  }
}

/** Keeps the tools of Claude Code to those that were named, and to the folder. */
function hookFor(builtinTools: readonly string[], folder: string): ClaudeToolHook {
  return async ({ tool_input: input, tool_name: name }) => {
    const decision = await judgeOwnTool(name, input, { builtinTools, folder });
    if (decision === undefined) return {};
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: decision.isAllowed ? 'allow' : 'deny',
        permissionDecisionReason: decision.reason,
      },
    };
  };
}
