import { defineAgent, defineSlice, promptTemplate, runAgent, Session, section, tool } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { winkModel } from '../systems/wink.ts';
import { filesOf } from '../systems/wink-files.ts';
import { check, prepare, publishReport, script } from './case.ts';

const Published = defineSlice({ name: 'published', schema: z.object({ file: z.string() }) });
const publish = tool({
  name: 'publish',
  description: 'Publish the report.',
  effects: 'state',
  execute: (_params, { filesystem, session }) =>
    publishReport(filesOf(filesystem), () => session.slice(Published).append({ file: 'report.md' })),
});
const task = section({
  title: 'Task',
  key: 'task',
  template: 'Publish.',
  tools: [publish],
  slices: [Published],
});
const agent = defineAgent({
  template: promptTemplate({ ns: 'compare', key: 'half-done', sections: [task] }),
  workspace: {},
});

await cell(async () => {
  await prepare();
  await using session = new Session();
  await using workspace = await openWorkspace({ agent, folder: '.', apply: 'end' });
  await runAgent(agent, { adapter: winkModel(script), workspace, session });
  return await check(
    session
      .slice(Published)
      .all()
      .map(({ file }) => file),
  );
});
