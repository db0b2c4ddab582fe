// A process of its own with a session that evaluates code, driven by `argv`: the built package, the languages, what to do.
import { pathToFileURL } from 'node:url';

const [dist = '', languages = '', code = ''] = process.argv.slice(2);
const load = (/** @type {string} */ entry) => import(pathToFileURL(`${dist}${entry}`).href);
const { promptTemplate, Session } = await load('entries/index.js');
const { codeEvaluationSection } = await load('entries/sandbox.js');
const { scriptedAdapter } = await load('entries/testing.js');

const section = codeEvaluationSection({ languages: languages.split(','), limits: { timeoutMs: 600_000 } });
const prompt = promptTemplate({ ns: 'tests', key: 'hold', sections: [section] }).bind();
const toolCalls = [{ name: 'evaluate_code', arguments: { code } }];
/** @type {unknown} */
let failure;
// Not disposed: what a program does that forgets to.
const { conversation } = await scriptedAdapter([{ toolCalls }, { text: 'done' }])
  .evaluate(prompt, { session: new Session() })
  .catch((/** @type {unknown} */ error) => {
    failure = error;
    return { conversation: [] };
  });
const messages = [];
for (let error = failure; error instanceof Error; error = error.cause) messages.push(error.message);
console.log(
  JSON.stringify({
    results: conversation.flatMap((/** @type {{ type: string, text?: string }} */ item) =>
      item.type === 'tool-result' ? [item.text] : [],
    ),
    messages,
  }),
);
