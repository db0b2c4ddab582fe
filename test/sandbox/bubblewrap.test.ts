import { bubblewrapSandbox } from 'weakincentives/sandbox';
import { sandboxContract } from './contract/sandbox-contract.ts';
import { unavailableReason } from './support/unavailable-reason.ts';

const skip = await unavailableReason(bubblewrapSandbox());

sandboxContract({
  name: 'bubblewrap',
  open: ({ limits } = {}) => bubblewrapSandbox({ ...(limits === undefined ? {} : { limits }) }),
  isInterpreter: false,
  skip,
});

sandboxContract({
  name: 'bubblewrap on copies',
  open: ({ limits } = {}) =>
    bubblewrapSandbox({ staging: { layer: 'copy' }, ...(limits === undefined ? {} : { limits }) }),
  isInterpreter: false,
  skip,
});
