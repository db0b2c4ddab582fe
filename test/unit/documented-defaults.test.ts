import { describe, expect, it } from 'vitest';
import { deadlineFeedback, resourceToken, Session } from 'weakincentives';
import { ThrottleError } from 'weakincentives/provider';
import { readArguments } from '../../src/cli/commands/read-arguments.ts';
import { withDefaults } from '../../src/core/error/index.ts';
import { limitChecks, resultsChecks } from '../../src/core/evaluation/options/option-checks.ts';
import { toSettings } from '../../src/core/evaluation/options/settings.ts';
import { noObservers, toThrottlePolicy } from '../../src/core/runtime/index.ts';
import { defaultCharactersPerToken } from '../../src/core/runtime/model/token-estimate.ts';
import { silentLogger } from '../../src/core/tool/index.ts';
import { mountedAs } from '../../src/harness/mcp/mount/choose-tools.ts';
import { mountLimitChecks } from '../../src/harness/mcp/mount/mount-options.ts';
import { folderLimitChecks } from '../../src/host/folder-copy/options.ts';
import { gitLimitChecks } from '../../src/host/git/git-limits.ts';
import { limitsOf } from '../../src/host/host-filesystem/options.ts';
import { checkCommand } from '../../src/host/sandbox/backend/command.ts';
import { bubblewrapSettings } from '../../src/host/sandbox/bubblewrap/options.ts';
import { evaluateLimitChecks } from '../../src/host/sandbox/evaluate/limits.ts';
import { podmanSettings } from '../../src/host/sandbox/podman/options.ts';
import { shellLimitsOf } from '../../src/host/sandbox/shell/shell-limits.ts';
import { virtualSettings } from '../../src/host/sandbox/virtual/options.ts';
import { stagingLimitChecks } from '../../src/host/staged-folder/staging/options.ts';
import { silenceTimeoutMs } from '../../src/providers/kit/wire/silence-limit.ts';
import { memoryLimitChecks } from '../../src/suite/memory/memory-limits.ts';
import { defaultInstructionCharacters } from '../../src/suite/skills/project-instructions.ts';
import { vfsLimitChecks } from '../../src/suite/vfs/limits.ts';
import { defaultWords } from '../support/default-words.ts';
import {
  defaultsInTexts,
  documentedDefaults,
  documentedWords,
  writtenDefault,
  writtenWord,
} from '../support/documented-defaults.ts';

type Figures = Readonly<Record<string, number>>;

/** The options of one type: what they are by default, and what the sources make of options that are left out. */
interface DefaultsOf {
  readonly figures: Figures;
  readonly actual: () => Readonly<Record<string, unknown>>;
}

const byDefault = (figures: Figures, actual: DefaultsOf['actual']): DefaultsOf => ({ figures, actual });
/** For options whose default no function gives; `beside`: see {@link writtenDefault}. */
const written = (figures: Figures, beside?: string): DefaultsOf =>
  byDefault(figures, () =>
    Object.fromEntries(Object.keys(figures).map((option) => [option, writtenDefault(option, beside)])),
  );

const mebibyte = 1_048_576;

function runSettings(): Readonly<Record<string, unknown>> {
  const callbacks = {
    logger: silentLogger,
    observers: noObservers,
    eventTypes: noObservers.eventTypes,
    approve: undefined,
    askUser: undefined,
    passOn: () => undefined,
  };
  const completion = { name: 'done', check: () => ({ outcome: 'complete' }) as const };
  const { maxSectionOpenings, maxOutputRepairs, calls, loop } = toSettings(
    { completion },
    new Session(),
    callbacks,
  );
  const { maxTurns, maxRepeatedFailures, completion: { maxChecks } = {} } = loop;
  return {
    ...calls,
    maxSectionOpenings,
    maxOutputRepairs,
    maxTurns,
    maxRepeatedFailures,
    maxCompletionChecks: maxChecks,
    maxInterruptions: withDefaults(limitChecks, {}).maxInterruptions,
  };
}

/** Every figure that a comment gives as the default of an option, by type and option. One that is left out here fails below. */
const defaults: Readonly<Record<string, DefaultsOf>> = {
  RunLimits: byDefault(
    {
      maxTurns: 100,
      maxConcurrentCalls: 8,
      maxOutputRepairs: 2,
      maxSectionOpenings: 16,
      maxCompletionChecks: 3,
      maxRepeatedFailures: 5,
      maxInterruptions: 5,
      maxResultCharacters: 400_000,
    },
    runSettings,
  ),
  ContextOptions: byDefault({ maxTotalCharacters: 64_000_000 }, () => ({ ...withDefaults(resultsChecks) })),
  LanguageModel: byDefault({ charactersPerToken: 4 }, () => ({
    charactersPerToken: defaultCharactersPerToken,
  })),
  NestedRunLimits: byDefault({ maxTurns: 100, maxCompletionChecks: 3 }, runSettings),
  RetryOptions: byDefault(
    { maxAttempts: 5, baseDelayMs: 500, maxDelayMs: 8_000, maxTotalDelayMs: 30_000 },
    () => ({ ...toThrottlePolicy() }),
  ),
  DeadlineFeedbackOptions: byDefault({ everyMs: 60_000 }, () => ({ ...deadlineFeedback().triggers })),
  RepetitionFeedbackOptions: written({ times: 3 }, 'repetitionFeedback()'),
  ThrottleErrorOptions: byDefault({ attempts: 1 }, () => ({
    attempts: new ThrottleError('', { kind: 'timeout' }).attempts,
  })),
  CommonSliceOptions: written({ version: 1 }, 'defineSlice()'),
  SessionOperation: written({ logged: 0 }),
  SessionImportOptions: written({ maxValues: 10_000_000 }, 'readSessionExport('),
  SharedModelOptions: byDefault({ timeoutMs: 600_000 }, providerTimeout),
  AnthropicModelOptions: written({ maxTokens: 16_000 }, 'anthropic()'),
  ToAiSdkToolsOptions: written({ version: 7 }, 'toAiSdkTools'),
  CallIdForm: written({ minLength: 1 }),
  GrepOptions: byDefault({ limit: 1_000, maxLineLength: 2_000 }, () => ({
    limit: writtenDefault('limit', 'maxLineLength'),
    maxLineLength: writtenDefault('maxLineLength'),
  })),
  TextWindowOptions: written({ offset: 0 }, 'TextWindowOptions'),
  MemoryFilesystemOptions: written(
    { maxBytes: 1024 * mebibyte, maxFileBytes: 32 * mebibyte, maxFiles: 1_000_000 },
    'class MemoryFilesystem',
  ),
  HostFilesystemOptions: byDefault({ maxFileBytes: 32 * mebibyte }, hostLimits),
  AgentWorkspace: byDefault({ maxFileBytes: 32 * mebibyte }, hostLimits),
  FolderCopyOptions: byDefault(
    { maxBytes: 64 * mebibyte, maxFileBytes: 8 * mebibyte, maxFiles: 20_000, maxEntries: 200_000 },
    () => ({ ...withDefaults(folderLimitChecks) }),
  ),
  StagedFolderOptions: byDefault(
    { maxBytes: 256 * mebibyte, maxFileBytes: 32 * mebibyte, maxEntries: 100_000 },
    () => ({ ...withDefaults(stagingLimitChecks) }),
  ),
  StagedCommandOptions: written({ maxOutputBytes: 65_536 }, 'runProcess('),
  GitLimits: byDefault(
    {
      maxCommits: 50,
      maxFiles: 50,
      maxLines: 500,
      maxOutputCharacters: 50_000,
      maxBlobBytes: 4 * mebibyte,
      maxRefBytes: 32 * mebibyte,
      maxMemoryBytes: 2048 * mebibyte,
      timeoutMs: 30_000,
    },
    () => ({ ...withDefaults(gitLimitChecks) }),
  ),
  NamedSecret: written({ minCharacters: 8 }, 'interface HostPlaces'),
  GitRun: written({ maxBytes: 16 * mebibyte }, 'GitRun'),
  McpMountLimits: byDefault(
    {
      connectTimeoutMs: 30_000,
      callTimeoutMs: 60_000,
      maxTotalTimeoutMs: 600_000,
      maxResultCharacters: 100_000,
      maxAttachmentBytes: 5 * mebibyte,
    },
    () => ({ ...withDefaults(mountLimitChecks) }),
  ),
  McpHttpTransport: written({ port: 0 }, 'openHttpEndpoint'),
  McpHttpSessionLimits: written({ maxSessions: 64 }),
  // The type of the options of a journal in SQLite.
  CommonOptions: written({ leaseTimeoutMs: 30_000 }, 'sqliteJournal()'),
  JournalBlobs: written({ maxRowCharacters: 65_536, timeoutMs: 10_000 }, 'blobsChecks:'),
  LeasedJournalOptions: written({ leaseTimeoutMs: 30_000 }, 'function leasedJournal'),
  MemoryQueueOptions: written({ retryLimit: 2 }, 'memoryQueue('),
  MemorySectionOptions: byDefault({ maxBytes: 1_048_576, maxFiles: 200 }, () =>
    withDefaults(memoryLimitChecks, {}),
  ),
  OpenJournalOptions: written({ maxConnections: 4 }, 'postgresPool'),
  PgBossQueueOptions: written({ pollMs: 500, retryDelaySeconds: 5, retryLimit: 10 }, 'function pgBossQueue'),
  PostgresJournalOptions: written(
    { leaseTimeoutMs: 30_000, queryTimeoutMs: 15_000 },
    'function postgresJournal',
  ),
  ProjectInstructionsSectionOptions: byDefault({ maxCharacters: 20_000 }, () => ({
    maxCharacters: defaultInstructionCharacters,
  })),
  PostgresResourceOptions: written({ timeoutMs: 15_000 }, 'function postgresResource'),
  RunJob: written({ priority: 0 }, 'class PgBossQueue'),
  RunWorkerOptions: written({ concurrency: 10, drainMs: 25_000, sweepMs: 30_000 }, 'function runWorker'),
  JournalRecorderOptions: written({ maxContentBytes: mebibyte }),
  RecordFileOptions: written({ number: 1 }, 'RecordFileOptions'),
  SandboxCommand: byDefault({ maxOutputBytes: 32_768 }, () => ({
    ...checkCommand('a sandbox', { command: 'ls' }),
  })),
  ShellLimits: byDefault({ timeoutMs: 30_000, maxTimeoutMs: 300_000, maxOutputBytes: 32_768 }, () => ({
    ...shellLimitsOf(),
  })),
  CodeEvaluationLimits: byDefault(
    {
      timeoutMs: 5_000,
      maxMemoryBytes: 64 * mebibyte,
      maxOutputBytes: 32_768,
      maxFiles: 20,
      maxTotalFileBytes: 2 * mebibyte,
    },
    () => ({ ...withDefaults(evaluateLimitChecks) }),
  ),
  'BubblewrapSandboxOptions.limits': byDefault(
    { maxMemoryBytes: 1024 * mebibyte, maxFileBytes: 256 * mebibyte, maxProcesses: 256 },
    () => ({ ...bubblewrapSettings({}, false).limits }),
  ),
  'PodmanSandboxOptions.limits': byDefault(
    { maxMemoryBytes: 1024 * mebibyte, maxProcesses: 256, maxCpus: 1, maxFileBytes: 256 * mebibyte },
    () => ({ ...podmanSettings({ image: 'image' }).limits }),
  ),
  'VirtualSandboxOptions.limits': byDefault(
    { maxMemoryBytes: 512 * mebibyte, maxFileBytes: 32 * mebibyte },
    () => ({ ...virtualSettings({}) }),
  ),
  VfsLimits: byDefault(
    {
      maxLines: 2_000,
      maxLineCharacters: 2_000,
      maxOutputCharacters: 50_000,
      maxEntries: 500,
      maxPaths: 1_000,
      maxMatches: 250,
      maxMatchCharacters: 500,
      maxAttachmentBytes: 3 * mebibyte,
      maxFileBytes: 32 * mebibyte,
      maxBytes: 1024 * mebibyte,
      maxFiles: 1_000_000,
    },
    () => ({ ...withDefaults(vfsLimitChecks) }),
  ),
  ConformanceOptions: written({ patienceMs: 10_000 }),
  DurableConformanceOptions: written({ killsPerCase: 4, seed: 1 }, 'killsPerCase'),
};

function providerTimeout(): Figures {
  return { timeoutMs: silenceTimeoutMs(undefined) };
}

function mountedEffects(): unknown {
  return mountedAs({ name: 'tool', inputSchema: { type: 'object' } }, { key: 'server' }).effects;
}

function hostLimits(): Readonly<Record<string, unknown>> {
  return { ...limitsOf({ root: '.' }) };
}

/** The table by `Type.option`; the limits of a sandbox are one option. */
function* rows(): Generator<readonly [name: string, figures: readonly number[]]> {
  for (const [type, { figures }] of Object.entries(defaults)) {
    if (type.includes('.')) yield [type, Object.values(figures)];
    else for (const [option, figure] of Object.entries(figures)) yield [`${type}.${option}`, [figure]];
  }
}

/** Options whose comment begins with code that is no value to compare, by reason. */
const describedDefaults = {
  'the code names what takes the place of the option': [
    'AgentHarness.model',
    'LanguageModel.model',
    'EvaluationEnvironment.suspension',
    'EvaluatorOptions.clock',
    'McpServersOptions.open',
    'RetryOptions.random',
    'PgBossQueueOptions.name',
    'RunOnStepsOptions.answers',
    'VfsToolsSectionOptions.tools',
  ],
  'the value depends on the environment or on other options': [
    'AcpOptions.name',
    'AiSdkOptions.strictTools',
    'AnthropicClientOptions.baseURL',
    'OpenAIClientOptions.baseURL',
    'ResumeRunOptions.files',
    'RunAgentOptions.files',
    'HostFilesystemOptions.stateDirectory',
    'LocalOverridesStoreOptions.root',
    'McpSectionOptions.protocol',
    'ConformanceAnswer.finishReason',
    'ScriptedToolCall.callId',
    'ScriptedTurn.finishReason',
  ],
  'only code outside of the package reads the option': ['ConformanceCall.isCutOff'],
};

/** Words that a function gives and no literal beside the option. */
const resolvedWords: Readonly<Record<string, () => unknown>> = {
  'BubblewrapSandboxOptions.network': () => bubblewrapSettings({}, false).network,
  'BubblewrapSandboxOptions.program': () => bubblewrapSettings({}, false).program,
  'PodmanSandboxOptions.network': () => podmanSettings({ image: 'image' }).network,
  'PodmanSandboxOptions.program': () => podmanSettings({ image: 'image' }).program,
  'McpSectionOptions.effects': mountedEffects,
  'NamedResourceToken.isStateless': () => resourceToken('resource').isStateless,
  'NamedResourceToken.isTransactional': () => resourceToken('resource').isTransactional,
};

/** The table of words, by `Type.option`. */
const words = Object.entries(defaultWords).flatMap(([type, options]) =>
  Object.entries(options).map(([option, row]) => {
    const [word, beside] = Array.isArray(row) ? row : [row, type];
    return { name: `${type}.${option}`, option, word, beside };
  }),
);

describe('documented defaults', () => {
  it.each(Object.entries(defaults))('of %s are what the sources do', (_type, { figures, actual }) => {
    expect(actual()).toMatchObject(figures);
  });

  it.each(words)('of $name are what the sources do: $word', ({ name, option, word, beside }) => {
    expect(resolvedWords[name]?.() ?? writtenWord(option, beside)).toBe(word);
  });

  it('that are words or booleans are those of the comments, each with its row', () => {
    const described = new Set(Object.values(describedDefaults).flat());
    const documented = documentedWords();
    expect(Object.fromEntries([...documented].filter(([name]) => !described.has(name)))).toEqual(
      Object.fromEntries(words.map(({ name, word }) => [name, word])),
    );
    expect([...described].filter((name) => !documented.has(name))).toEqual([]);
  });

  it('are those of the comments: each has its row, and each row its comment', () => {
    expect(Object.fromEntries(documentedDefaults())).toEqual(Object.fromEntries(rows()));
  });

  it('are those that guides, specification and help name', () => {
    const known = new Set(
      Object.values(defaults).flatMap(({ figures }) =>
        Object.entries(figures).map((entry) => entry.join(' ')),
      ),
    );
    // The command has it in seconds.
    const query = readArguments(['query', 'run.jsonl', 'select 1']);
    if (query.kind === 'query') known.add(`timeout ${query.timeoutMs / 1_000}`);
    const serve = readArguments(['serve', '--http']);
    if (serve.kind === 'serve') known.add(`clients ${serve.clients}`);

    const texts = defaultsInTexts();
    const wrong = texts.filter(
      ([, option, figure]) =>
        !known.has(`${option.replaceAll(/-./g, ([, letter = '']) => letter.toUpperCase())} ${figure}`),
    );
    expect(wrong).toEqual([]);
    expect(texts.length).toBeGreaterThan(3);
  });
});
