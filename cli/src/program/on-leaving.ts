/** Has something said when who watches leaves by Ctrl-C, which then ends the command as it always does. Returns what takes it back. */
export const onLeaving = (say: () => void): (() => void) => {
  const leave = () => {
    say();
    // Nobody hears it any more: the process ends by the signal, as the shell expects.
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', leave);
  return () => void process.off('SIGINT', leave);
};
