import { commitChanges } from '../host-commit.ts';

// Started as a process of its own: commits, and kills itself before the moment with this number.
const [root = '', stateDirectory = '', killAt = ''] = process.argv.slice(2);
let moment = 0;
commitChanges({ root, stateDirectory }, () => {
  if (moment === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  moment += 1;
});
