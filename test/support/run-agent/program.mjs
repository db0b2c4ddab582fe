// Runs the agent of a module as a program does: node program.mjs MODULE FOLDER RECORD.
import { createJiti } from 'jiti';
import { runAgent } from 'weakincentives';
import { openRunRecorder, openWorkspace } from 'weakincentives/node';

const [, , module = '', folder = '', file = ''] = process.argv;
const { agent } = await createJiti(import.meta.url).import(module);
const recorder = await openRunRecorder({ file, apply: 'never' });
const workspace = await openWorkspace({ agent, folder });
try {
  await runAgent(agent, { workspace, observers: [recorder] });
} finally {
  await workspace[Symbol.asyncDispose]();
  await recorder[Symbol.asyncDispose]();
}
