import { assignPartitions } from '@popsvc/projectors/members';
import { expect } from 'chai';

const members = ['a-1', 'b-2', 'c-3', 'd-4'];

describe('preferred members', () => {
  it('have at most their share of the partitions of each projection', () => {
    for (let count = 1; count <= 4; count += 1)
      for (const partitions of [1, 4, 10]) {
        const assigned = assignPartitions(members.slice(0, count), 'coffee', partitions);
        expect(assigned).to.have.length(partitions);
        for (const member of members.slice(0, count))
          expect(assigned.filter((each) => each === member).length).to.be.at.most(Math.ceil(partitions / count));
        expect(assigned).not.to.include(undefined);
      }
  });

  it('do not depend on the order of the members', () => {
    expect(assignPartitions([...members].reverse(), 'coffee', 10)).to.deep.equal(
      assignPartitions(members, 'coffee', 10),
    );
  });

  it('keep partitions when another member leaves', () => {
    const before = assignPartitions(members, 'uptime', 10);
    const after = assignPartitions(members.slice(1), 'uptime', 10);
    const kept = before.filter((member, index) => member !== members[0] && after[index] === member);
    expect(kept.length).to.be.at.least(5);
  });
});
