import { bubblewrapSandbox, type SandboxBackend, type SandboxLimits } from 'weakincentives/sandbox';
import { escapeSet } from './contract/escape-set.ts';
import { killContract } from './contract/kill-contract.ts';
import { sandboxContract } from './contract/sandbox-contract.ts';
import type { SandboxSubject } from './contract/sandbox-subject.ts';
import { shellContract } from './contract/shell-contract.ts';
import { unavailableReason } from './support/unavailable-reason.ts';

const skip = await unavailableReason(bubblewrapSandbox());
const withLimits = (limits: SandboxLimits | undefined) => (limits === undefined ? {} : { limits });

const bubblewrap: SandboxSubject = {
  name: 'bubblewrap',
  open: ({ limits } = {}): SandboxBackend => bubblewrapSandbox(withLimits(limits)),
  isInterpreter: false,
  skip,
};

sandboxContract(bubblewrap);
sandboxContract({
  ...bubblewrap,
  name: 'bubblewrap on copies',
  open: ({ limits } = {}) => bubblewrapSandbox({ staging: { layer: 'copy' }, ...withLimits(limits) }),
});
shellContract(bubblewrap);
escapeSet(bubblewrap);
killContract({ ...bubblewrap, kind: 'bubblewrap', options: {} });
