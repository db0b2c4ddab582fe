// A runtime whose tool asks before it publishes, which leaves a line outside of the process. Each process that opens it here has a run of its own, and they share their questions.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openToolRuntime, PolicyDecision, promptTemplate, section, suspendApproval, ToolResult, tool } from 'weakincentives';

/**
 * @import { RunJournal, ToolRuntime } from 'weakincentives'
 */

/**
 * @param {string} folder that has the file with the lines.
 * @param {RunJournal} journal
 * @param {string} runId
 * @returns {Promise<ToolRuntime>}
 */
export function openAsking(folder, journal, runId) {
  const publish = tool({
    name: 'publish',
    description: 'Publishes.',
    effects: 'external',
    execute: () => {
      appendFileSync(join(folder, 'published.txt'), `${runId}\n`);
      return ToolResult.ok(null, 'Published.');
    },
  });
  const prompt = promptTemplate({
    ns: 'tests',
    key: 'asking',
    policies: [{ name: 'ask', check: () => PolicyDecision.ask('For all to see.') }],
    sections: [section({ title: 'Task', key: 'task', template: 'Publish.', tools: [publish] })],
  }).bind();
  return openToolRuntime(prompt, {
    journal,
    runId,
    agentName: 'publisher',
    approve: suspendApproval({ scope: 'the folder' }),
  });
}
