import {
  binding,
  type ConversationItem,
  Filesystem,
  MemoryFilesystem,
  type ProviderAdapter,
  Session,
} from 'weakincentives';
import type { FolderCopy } from 'weakincentives/node';
import { agent } from '../../../examples/review/agent.ts';
import { Findings, Publications } from '../../../examples/review/slices.ts';
import { reviewTemplate } from '../../../examples/review/template.ts';
import { CallLog } from '../../../src/cli/report/calls/call-log.ts';

/** Files by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Result of a review of an in-memory folder. */
export interface Reviewed {
  readonly report: string;
  readonly outcome: { readonly findings: number; readonly isPublished: boolean };
  readonly log: CallLog;
  readonly conversation: readonly ConversationItem[];
  readonly folder: { readonly filesystem: MemoryFilesystem };
  readonly text: string;
}

export const reviewParams = { folderName: 'demo', maxLines: 10, maxLineCharacters: 80 };

/** The model that the review agent brings. */
async function reviewModel(): Promise<ProviderAdapter> {
  const { adapter } = agent;
  if (typeof adapter !== 'function') throw new Error('the review agent makes its model for each run');
  return adapter({ params: reviewParams, workspaceName: 'demo' });
}

/** Reviews a folder in memory with the real agent, its own model by default. */
export async function review(
  files: Files,
  options: { readonly model?: ProviderAdapter; readonly skipped?: FolderCopy['report']['skipped'] } = {},
): Promise<Reviewed> {
  const filesystem = Object.assign(new MemoryFilesystem({ files }), {
    listSkipped: () => options.skipped ?? [],
  });
  const folder = { filesystem };
  const adapter = options.model ?? (await reviewModel());
  const log = new CallLog();
  await using session = new Session({ id: 'review' });
  const prompt = reviewTemplate.bind(reviewParams, {
    resources: [binding(Filesystem, { instance: folder.filesystem })],
  });
  for (const slice of prompt.slices()) session.install(slice);
  await agent.prepare?.({ session, workspace: { name: 'demo', filesystem }, params: reviewParams });
  const response = await adapter.evaluate(prompt, {
    session,
    input: 'Review this folder.',
    limits: { maxTurns: 500 },
    observers: [{ onEvent: (event) => log.observe(event) }],
  });
  return {
    report: await folder.filesystem.read('REVIEW.md').then(
      (window) => window.text,
      () => '',
    ),
    outcome: {
      findings: session.slice(Findings).length,
      isPublished: session.slice(Publications).length > 0,
    },
    log,
    conversation: response.conversation,
    folder,
    text: response.text,
  };
}
