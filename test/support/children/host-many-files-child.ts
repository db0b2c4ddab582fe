import { atTime, openManyFiles } from '../many-files.ts';

// Started as a process of its own: changes many files in one commit, and kills itself when it reaches a failpoint for the time with this number.
const [root = '', stateDirectory = '', failpoint = '', time = ''] = process.argv.slice(2);
const kill = (): void => void process.kill(process.pid, 'SIGKILL');
openManyFiles({ root, stateDirectory }, atTime(failpoint, Number(time), kill)).changeAll();
