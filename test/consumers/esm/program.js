import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { defineAgent, promptTemplate, runAgent, section } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { sellPears } from './agent.mjs';

// Every entry, without the packages that some of them load later.
const manifest = readFileSync(new URL(import.meta.resolve('weakincentives/package.json')), 'utf8');
for (const subpath of Object.keys(JSON.parse(manifest).exports)) {
  if (subpath === './package.json') continue;
  const entry = await import(subpath.replace('.', 'weakincentives'));
  assert.notEqual(Object.keys(entry).length, 0, subpath);
}

assert.equal(await sellPears(), 'Sold. 6 pears are left.');

// The package of a vendor is loaded from this project, and one that it does not have is named.
const task = section({ title: 'Task', key: 'task', template: 'Greet the user.' });
const template = promptTemplate({ ns: 'consumers', key: 'greet', sections: [task] });
const answerOf = (adapter) => runAgent(defineAgent({ template, adapter }));
const fetch = async () => Response.json({ error: { message: 'There is no such model.' } }, { status: 404 });
await assert.rejects(answerOf(openai({ model: 'gpt-5', apiKey: 'none', fetch })), /There is no such model/);
await assert.rejects(
  answerOf(anthropic({ model: 'claude', apiKey: 'none' })),
  /npm install @anthropic-ai\/sdk/,
);
