import { CallLog } from '../../../src/cli/call-log.ts';
import { type CliEnvironment, type OutputStream } from '../../../src/cli/environment.ts';
import type { OpenedFolder } from '../../../src/cli/open-folder.ts';
import { type ReviewOutcome, reviewAgent, reviewSetting } from '../../../src/cli/review/review-agent.ts';
import { reviewTemplate } from '../../../src/cli/review/review-template.ts';
import type { Unmounted } from '../../../src/cli/review/unmounted.ts';
import type { ProviderAdapter } from '../../../src/evaluation/index.ts';
import { Filesystem, MemoryFilesystem } from '../../../src/filesystem/index.ts';
import { bindInstance } from '../../../src/resource/index.ts';
import type { ConversationItem } from '../../../src/runtime/index.ts';
import { Session } from '../../../src/session/index.ts';

/** Files by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** An output that keeps what was written. */
export interface CapturedStream extends OutputStream {
  readonly text: () => string;
}

export function capturedStream(options: { isTerminal?: boolean; columns?: number } = {}): CapturedStream {
  let written = '';
  return {
    write: (text) => {
      written += text;
    },
    isTerminal: options.isTerminal ?? false,
    columns: options.columns,
    text: () => written,
  };
}

export interface FakeEnvironment extends CliEnvironment {
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
}

/** An environment without a process. Its clock advances by one millisecond per look. */
export function fakeEnvironment(options: Partial<FakeEnvironment> = {}): FakeEnvironment {
  let time = 0;
  return {
    stdout: capturedStream(),
    stderr: capturedStream(),
    ask: undefined,
    variables: {},
    version: '1.2.3',
    signal: new AbortController().signal,
    now: () => time++,
    takeStrays: async () => [],
    after: () => () => undefined,
    onOtherOutput: () => () => undefined,
    ...options,
  };
}

const nothingUnmounted: Unmounted = { folders: [], entries: [], total: 0 };

/** A folder in memory, as `openFolder` would have opened it. */
export function openedFolder(files: Files, unmounted: Unmounted = nothingUnmounted): OpenedFolder {
  return {
    name: 'demo',
    hostPath: 'demo',
    filesystem: new MemoryFilesystem({ files }),
    mode: undefined,
    held: undefined,
    leftOutNames: [],
    unmounted: () => unmounted,
    notes: [],
    close: async () => undefined,
  };
}

/** What a review of a folder in memory left. */
export interface Reviewed {
  readonly report: string;
  readonly outcome: ReviewOutcome;
  readonly log: CallLog;
  readonly conversation: readonly ConversationItem[];
  readonly folder: OpenedFolder;
  readonly text: string;
}

export const reviewParams = { folderName: 'demo', maxLines: 10, maxLineCharacters: 80 };

/** The model that the review agent brings. */
async function reviewModel(): Promise<ProviderAdapter> {
  const { model } = reviewAgent;
  if (typeof model !== 'function') throw new Error('the review agent makes its model for each run');
  return model({ params: reviewParams, workspaceName: 'demo' });
}

/** Reviews a folder in memory with the real agent, its own model by default. */
export async function review(
  files: Files,
  options: { readonly model?: ProviderAdapter; readonly unmounted?: Unmounted } = {},
): Promise<Reviewed> {
  const folder = openedFolder(files, options.unmounted);
  const model = options.model ?? (await reviewModel());
  const log = new CallLog();
  await using session = new Session({ id: 'review' });
  await reviewSetting.prepare(session, folder);
  const prompt = reviewTemplate.bind(reviewParams, {
    resources: [bindInstance(Filesystem, folder.filesystem), ...reviewSetting.resources(folder)],
  });
  const response = await model.evaluate(prompt, {
    session,
    input: 'Review this folder.',
    maxTurns: 500,
    onEvent: (event) => log.observe(event),
  });
  return {
    report: await folder.filesystem.read('REVIEW.md').then(
      (window) => window.text,
      () => '',
    ),
    outcome: reviewSetting.outcome(session),
    log,
    conversation: response.conversation,
    folder,
    text: response.text,
  };
}
