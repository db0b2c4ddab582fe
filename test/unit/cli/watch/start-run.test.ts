import { expect, it } from 'vitest';
import { filesIn } from '../../../../src/cli/watch/start-run.ts';

it.each([
  ['["/a/agent.ts","/a/part.ts"]', ['/a/agent.ts', '/a/part.ts']],
  ['["/a",1,null]', ['/a']],
  ['{"a":1}', []],
  ['no JSON', []],
])('the line %s names the files %j', (line, files) => {
  expect(filesIn(line)).toEqual(files);
});
