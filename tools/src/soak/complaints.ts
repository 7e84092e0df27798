export interface Complaints {
  readonly all: readonly string[];
  readonly complain: (text: string) => void;
}

/** What went wrong, each as it comes, and kept for the end. */
export const openComplaints = (tell: (text: string) => void): Complaints => {
  const all: string[] = [];
  return {
    all,
    complain(text) {
      const told = `${new Date().toISOString()} ${text}`;
      all.push(told);
      tell(`WRONG: ${told}\n`);
    },
  };
};
