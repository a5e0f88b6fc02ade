import sys, math, time
sys.path.insert(0, "gpu_tmp/src")
import numpy as np, torch
from triton.testing import do_bench
from parzen.compute.device import sums as s
torch.manual_seed(0)
dev="cuda"
print(torch.cuda.get_device_name(), torch.__version__)
def ms(f): return do_bench(f, warmup=50, rep=200, return_mode="median")
x=torch.empty(2**29,device=dev); y=torch.empty_like(x); t=ms(lambda: y.copy_(x)); bw=2*x.numel()*4/t/1e9; print(f"copy {bw:.2f} TB/s"); del x,y
rng=np.random.default_rng(0)
# EM full 10M x 10, K=10
n,d,K=10_000_000,10,10
X=torch.randn(n,d,device=dev); origin=np.zeros(d)
inv=np.stack([np.tril(rng.normal(size=(d,d))*0.2)+np.eye(d) for _ in range(K)]); off=rng.normal(size=(K,d)); c=rng.normal(size=K)
for _ in range(1):
    for tile in (32,64,128):
        for run in (16384,):
            s.TILE=tile; s.RUN=run
            try: print(f"EM full 10M x 10 K=10 tile {tile}: {ms(lambda: s.full_moments(X,None,origin,K,(inv,off,c))):.3f} ms")
            except Exception as e: print(tile, repr(e)[:200])
s.TILE=64
a=s.full_moments(X[:100000],None,origin,K,(inv,off,c))
xx=X[:100000].double().cpu().numpy(); z=np.einsum("kij,nkj->nki",inv,xx[:,None]-off); S=c-(z**2).sum(2); m=S.max(1,keepdims=True); e=np.exp2(S-m); R=e/e.sum(1,keepdims=True)
print("rel err", np.abs(a[0]/R.sum(0)-1).max(), np.abs(a[2]-np.einsum("nk,ni,nj->kij",R,xx,xx)).max()/np.abs(a[2]).max(), a[3]/(m[:,0]+np.log2(e.sum(1))).sum()-1)
# moments NB
codes=torch.randint(0,10,(n,),device=dev,dtype=torch.int32)
g=np.zeros((K,d))
for tile in (64,128,256):
    s.TILE=tile
    try:
        t=ms(lambda: s.diagonal_moments(X,None,origin,K,codes=codes,guess=g)); print(f"NB moments 10M x 10, 10 classes tile {tile}: {t:.3f} ms, {n*(d*4+4)/t/1e9:.2f} TB/s")
        t=ms(lambda: s.full_moments(X,None,origin,K,codes=codes)); print(f"full moments by class tile {tile}: {t:.3f} ms {n*(d*4+4)/t/1e9:.2f} TB/s")
    except Exception as e: print(tile, repr(e)[:200])
s.TILE=64
# EM diag
n,d,K=1_000_000,128,1024
X=torch.randn(n,d,device=dev); iv=rng.random((K,d))*.3+.3; off=rng.normal(size=(K,d)); c=rng.normal(size=K); origin=np.zeros(d)
if True:
    try:
        X1=X[:, :127]
        print(f"EM diag 1M x 127 K=1024: {ms(lambda: s.diagonal_moments(X1.contiguous(),None,np.zeros(127),K,(iv[:,:127],off[:,:127],c))):.2f} ms")
    except Exception as e: print(repr(e)[:300])
A=torch.randn(d,K,device=dev); B=torch.randn(d,K,device=dev)
def torch_diag():
    for i in range(0,n,1<<17):
        xb=X[i:i+(1<<17)]; S=xb@A+(xb*xb)@B; R=torch.softmax(S,1); R.T@xb; R.T@(xb*xb)
for p in ("highest","high"):
    torch.set_float32_matmul_precision(p); print(f"torch diag EM {p}: {ms(torch_diag):.2f} ms")
torch.set_float32_matmul_precision("highest")
# kmeans
n,d,K=10_000_000,16,1000
X=torch.randn(n,d,device=dev); C=rng.normal(size=(K,d)); codes=torch.empty(n,device=dev,dtype=torch.int32)
print(f"kmeans nearest 10M x16 K=1000: {ms(lambda: s.nearest(X,np.zeros(d),C,codes)):.2f} ms")
try: print(f"kmeans sums: {ms(lambda: s.diagonal_moments(X,None,np.zeros(d),K,codes=codes,guess=np.zeros((K,d)))):.2f} ms")
except Exception as e: print(repr(e)[:300])
Ct=torch.from_numpy(C).float().to(dev); h=(Ct**2).sum(1)/2
def torch_km():
    for i in range(0,n,1<<18):
        (X[i:i+(1<<18)]@Ct.T-h).argmax(1)
for p in ("highest","high"):
    torch.set_float32_matmul_precision(p); print(f"torch kmeans assign {p}: {ms(torch_km):.2f} ms")
torch.set_float32_matmul_precision("highest")
# kernel sums
for d in (1,2,3,8,16,32):
    N=1<<18; hh=N**(-1/(d+4)); cc=math.sqrt(.5*math.log2(math.e))/hh
    P=torch.randn(N,d,device=dev)*cc; Q=torch.randn(N,d,device=dev)*cc
    t=ms(lambda: s.gaussian_sums(Q,P,None)); o=s.gaussian_sums(Q,P,None)[:64]
    r=torch.exp2(-((Q[:64].double()[:,None]-P.double()[None]).square().sum(2))).sum(1)
    print(f"pairs d={d}: {N*N/t/1e9:.2f}e12/s relerr {((o-r)/r).abs().max().item():.1e}")
