import {
  binding,
  Filesystem,
  MemoryFilesystem,
  type PendingApproval,
  PolicyDecision,
  promptTemplate,
  type RunJournal,
  section,
  suspendApproval,
} from 'weakincentives';
import { createManualClock, scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

/** A call that writes a file. */
export const write = (path: string, content: string): { name: string; arguments: object } => ({
  name: 'write_file',
  arguments: { file_path: path, content },
});

/**
 * Suspends a run whose model writes files in one turn. It is asked about the changes of the first call, and about the others before they run. The clock is
 * at 60 s.
 */
export async function suspend(
  journal: RunJournal,
  calls: readonly ReturnType<typeof write>[],
  options: { readonly runId?: string; readonly expiresMs?: number; readonly reason?: string } = {},
): Promise<readonly PendingApproval[]> {
  const { runId = 'one', expiresMs, reason = 'Is this right?' } = options;
  const first = JSON.stringify(calls[0]?.arguments);
  const filesystem = new MemoryFilesystem({ files: { 'a.md': 'old\nkept\n' } });
  const prompt = promptTemplate({
    ns: 'tests',
    key: 'writer',
    policies: [
      {
        name: 'reviews',
        check: ({ tool, params }) => {
          if (tool.name !== 'write_file') return PolicyDecision.allow();
          return JSON.stringify(params) === first ? PolicyDecision.allow() : PolicyDecision.ask(reason);
        },
        checkChanges: () => PolicyDecision.ask(reason),
      },
    ],
    sections: [section({ title: 'Task', key: 'task', template: 'Write.' }), vfsToolsSection()],
  }).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });
  const read = { name: 'read_file', arguments: { file_path: 'a.md' } };
  const end = await scriptedAdapter([
    { toolCalls: [read] },
    { toolCalls: [...calls] },
    { text: 'done' },
  ]).evaluate(prompt, {
    journal,
    runId,
    clock: createManualClock(60_000),
    approve: suspendApproval(expiresMs === undefined ? {} : { expiresMs }),
  });
  return end.finishReason === 'suspended' ? end.pending : [];
}
