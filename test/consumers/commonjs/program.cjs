const assert = require('node:assert/strict');
const { defineAgent, promptTemplate, runAgent, section } = require('weakincentives');
const { exports: entries } = require('weakincentives/package.json');
const { scriptedAdapter } = require('weakincentives/testing');

// Every entry, without the packages that some of them load later.
for (const subpath of Object.keys(entries)) {
  assert.notEqual(Object.keys(require(subpath.replace('.', 'weakincentives'))).length, 0, subpath);
}

const task = section({ title: 'Task', key: 'task', template: 'Greet the user.' });
const agent = defineAgent({
  template: promptTemplate({ ns: 'consumers', key: 'greet', sections: [task] }),
  adapter: scriptedAdapter([{ text: 'Hello.' }]),
});
runAgent(agent).then(({ text }) => assert.equal(text, 'Hello.'));
