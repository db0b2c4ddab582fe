import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PromptValidationError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { ModelSettings, TokenPrices } from '../../core/tool/index.ts';
import type {
  AgentHarness,
  HarnessCapabilities,
  HarnessCheck,
  HarnessOutcome,
  HarnessRequest,
  HarnessRunOptions,
} from '../kit/index.ts';
import { CallEvents, loadServerSdk, ServedSession } from '../mcp/index.ts';
import { AnswerSchema } from './answer-schema.ts';
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

/** What a {@link ClaudeHarness} is made with. */
export interface ClaudeHarnessOptions {
  readonly model: string | undefined;
  readonly builtinTools: readonly string[];
  readonly settings: ModelSettings;
  readonly env: Readonly<Record<string, string>>;
  readonly executable: string | undefined;
  readonly prices: TokenPrices | undefined;
  readonly sdk: ClaudeAgentSdk | undefined;
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Whether Claude Code knows an effort. */
export const isEffort = (effort: string): boolean => efforts.includes(effort);

/** Claude Code, through its Agent SDK: a process for each run, which gets the tools from a server in this process. */
export class ClaudeHarness implements AgentHarness {
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
  readonly #options: ClaudeHarnessOptions;

  constructor(options: ClaudeHarnessOptions) {
    const { model, prices } = options;
    this.#options = options;
    if (model !== undefined) this.model = model;
    if (prices !== undefined) this.prices = prices;
  }

  check({ hasFiles, settings: { reasoningEffort } }: HarnessCheck): void {
    if (reasoningEffort !== undefined && !isEffort(reasoningEffort)) {
      throw new PromptValidationError(
        `The harness "${this.name}" does not know the reasoningEffort "${reasoningEffort}". Use one of ${efforts.join(', ')}.`,
        { details: { option: 'settings.reasoningEffort', harness: this.name } },
      );
    }
    if (this.#options.builtinTools.length > 0 && !hasFiles) {
      throw new PromptValidationError(
        `The harness "${this.name}" does not honor builtinTools: they work on a copy of the files of a prompt, and this prompt binds no Filesystem. Bind one, or leave builtinTools out.`,
        { details: { option: 'builtinTools', harness: this.name } },
      );
    }
  }

  async run(request: HarnessRequest, options: HarnessRunOptions): Promise<HarnessOutcome> {
    const { sdk: given } = this.#options;
    const [sdk, serverSdk] = await Promise.all([given ?? loadClaudeAgentSdk(), loadServerSdk()]);
    const home = await mkdtemp(join(tmpdir(), 'wink-claude-'));
    const events = new CallEvents();
    const endEvents = request.tools.onEvent((event) => events.onEvent(event));
    const processes = new ClaudeProcesses(options.clock, options.logger);
    // A run that was stopped asks its model nothing more: nothing is kept of the program that it would have to write.
    const kill = (): void => processes.kill();
    options.signal.addEventListener('abort', kill, { once: true });
    try {
      await using work = await WorkFolder.open(request, {
        empty: join(home, 'work'),
        isCopy: this.#options.builtinTools.length > 0,
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
      await rm(home, { recursive: true, force: true });
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
    const { builtinTools, env, executable, model, settings } = this.#options;
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
