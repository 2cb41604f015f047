import torch, sys, os
from torch import nn
import torch.nn.functional as F
def cbn(i,o,k,s=1,g=1,act=None,eps=1e-3):
    l=[nn.Conv2d(i,o,k,s,(k-1)//2,groups=g,bias=False),nn.BatchNorm2d(o,eps,0.01)]
    if act: l.append(act())
    return nn.Sequential(*l)
class Basic(nn.Module):
    def __init__(s,i,o,st):
        super().__init__()
        s.conv1=nn.Conv2d(i,o,3,st,1,bias=False);s.bn1=nn.BatchNorm2d(o)
        s.conv2=nn.Conv2d(o,o,3,1,1,bias=False);s.bn2=nn.BatchNorm2d(o)
        s.downsample=None if st==1 and i==o else nn.Sequential(nn.Conv2d(i,o,1,st,bias=False),nn.BatchNorm2d(o))
    def forward(s,x):
        y=s.bn2(s.conv2(F.relu(s.bn1(s.conv1(x)))))
        return F.relu(y+(x if s.downsample is None else s.downsample(x)))
class ResNet(nn.Module):
    def __init__(s,w,c):
        super().__init__()
        s.conv1=nn.Conv2d(3,w,7,2,3,bias=False);s.bn1=nn.BatchNorm2d(w);i=w
        for k in range(4):
            o=w<<k;setattr(s,'layer%d'%(k+1),nn.Sequential(Basic(i,o,1 if k==0 else 2),Basic(o,o,1)));i=o
        s.fc=nn.Linear(i,c)
    def forward(s,x):
        x=F.max_pool2d(F.relu(s.bn1(s.conv1(x))),3,2,1)
        for k in range(4):x=getattr(s,'layer%d'%(k+1))(x)
        return s.fc(x.mean((2,3)))
class SE(nn.Module):
    def __init__(s,c,q):super().__init__();s.fc1=nn.Conv2d(c,q,1);s.fc2=nn.Conv2d(q,c,1)
    def forward(s,x):return x*F.hardsigmoid(s.fc2(F.relu(s.fc1(x.mean((2,3),keepdim=True)))))
class IR(nn.Module):
    def __init__(s,i,k,e,o,se,hs,st):
        super().__init__();a=nn.Hardswish if hs else nn.ReLU;l=[]
        if e!=i:l.append(cbn(i,e,1,act=a))
        l.append(cbn(e,e,k,st,e,a))
        if se:l.append(SE(e,max(8,(e//4+4)//8*8)))
        l.append(cbn(e,o,1));s.block=nn.Sequential(*l);s.res=st==1 and i==o
    def forward(s,x):return x+s.block(x) if s.res else s.block(x)
SMALL=[(3,16,16,1,0,2),(3,72,24,0,0,2),(3,88,24,0,0,1),(5,96,40,1,1,2),(5,240,40,1,1,1),(5,240,40,1,1,1),(5,120,48,1,1,1),(5,144,48,1,1,1),(5,288,96,1,1,2),(5,576,96,1,1,1),(5,576,96,1,1,1)]
NARROW=[(3,8,8,1,0,2),(3,16,12,0,0,2),(5,24,12,1,1,1)]
class MobileNetV3(nn.Module):
    def __init__(s,rows,first,last,hidden,classes):
        super().__init__();l=[cbn(3,first,3,2,act=nn.Hardswish)];i=first
        for k,e,o,se,hs,st in rows:l.append(IR(i,k,e,o,se,hs,st));i=o
        l.append(cbn(i,last,1,act=nn.Hardswish));s.features=nn.Sequential(*l)
        s.classifier=nn.Sequential(nn.Linear(last,hidden),nn.Hardswish(),nn.Identity(),nn.Linear(hidden,classes))
    def forward(s,x):return s.classifier(s.features(x).mean((2,3)))
class M(nn.Module):
    def __init__(s,**k):
        super().__init__()
        for n,m in k.items():s.add_module(n,m)
def heads(x,h):return x.unflatten(2,(h,-1)).transpose(1,2)
def att(q,k,v,causal=False,mask=None):
    s=q@k.transpose(2,3)/q.shape[3]**.5
    if causal:s=s.masked_fill(torch.ones(s.shape[2:]).tril()==0,float('-inf'))
    if mask is not None:s=s.masked_fill(~mask,float('-inf'))
    return (s.softmax(3)@v).transpose(1,2).flatten(2)
class Bert(nn.Module):
    def __init__(s,v,w,h,n,p,inner):
        super().__init__();s.h=h;ln=lambda:nn.LayerNorm(w,1e-12)
        s.embeddings=M(word_embeddings=nn.Embedding(v,w),position_embeddings=nn.Embedding(p,w),token_type_embeddings=nn.Embedding(2,w),LayerNorm=ln())
        L=lambda:nn.Linear(w,w)
        s.encoder=M(layer=nn.ModuleList([M(attention=M(self=M(query=L(),key=L(),value=L()),output=M(dense=L(),LayerNorm=ln())),intermediate=M(dense=nn.Linear(w,inner)),output=M(dense=nn.Linear(inner,w),LayerNorm=ln())) for _ in range(n)]))
        s.pooler=M(dense=L())
    def forward(s,x,types,mask):
        e=s.embeddings;x=x.long()
        y=e.LayerNorm(e.word_embeddings(x)+e.position_embeddings.weight[:x.shape[1]]+e.token_type_embeddings(types.long()))
        for l in s.encoder.layer:
            a=l.attention;f=getattr(a,'self')
            z=att(heads(f.query(y),s.h),heads(f.key(y),s.h),heads(f.value(y),s.h),mask=mask[:,None,None,:].bool())
            y=a.output.LayerNorm(y+a.output.dense(z))
            y=l.output.LayerNorm(y+l.output.dense(F.gelu(l.intermediate.dense(y))))
        return y,torch.tanh(s.pooler.dense(y[:,0]))
class Conv1D(nn.Module):
    def __init__(s,i,o):super().__init__();s.weight=nn.Parameter(torch.zeros(i,o));s.bias=nn.Parameter(torch.zeros(o))
    def forward(s,x):return x@s.weight+s.bias
class Gpt2(nn.Module):
    def __init__(s,v,w,h,n,p):
        super().__init__();s.hh=h;s.wte=nn.Embedding(v,w);s.wpe=nn.Embedding(p,w)
        s.h=nn.ModuleList([M(ln_1=nn.LayerNorm(w),attn=M(c_attn=Conv1D(w,3*w),c_proj=Conv1D(w,w)),ln_2=nn.LayerNorm(w),mlp=M(c_fc=Conv1D(w,4*w),c_proj=Conv1D(4*w,w))) for _ in range(n)])
        s.ln_f=nn.LayerNorm(w)
    def forward(s,x):
        x=x.long();y=s.wte(x)+s.wpe.weight[:x.shape[1]]
        for b in s.h:
            q,k,v=b.attn.c_attn(b.ln_1(y)).chunk(3,2)
            y=y+b.attn.c_proj(att(heads(q,s.hh),heads(k,s.hh),heads(v,s.hh),True))
            y=y+b.mlp.c_proj(F.gelu(b.mlp.c_fc(b.ln_2(y)),approximate='tanh'))
        return s.ln_f(y)@s.wte.weight.T
def rot(x,base=10000.):
    d=x.shape[3];f=base**(-torch.arange(0,d,2).double()/d);a=torch.arange(x.shape[2]).double()[:,None]*f
    c=torch.cat([a.cos()]*2,1).to(x.dtype);s=torch.cat([a.sin()]*2,1).to(x.dtype);h=torch.cat([-x[...,d//2:],x[...,:d//2]],3)
    return x*c+h*s
class Llama(nn.Module):
    def __init__(s,v,w,h,g,n,inner):
        super().__init__();s.hd=(h,g);d=w//h;L=lambda i,o:nn.Linear(i,o,bias=False);R=lambda:nn.RMSNorm(w,1e-5)
        s.model=M(embed_tokens=nn.Embedding(v,w),layers=nn.ModuleList([M(input_layernorm=R(),self_attn=M(q_proj=L(w,w),k_proj=L(w,g*d),v_proj=L(w,g*d),o_proj=L(w,w)),post_attention_layernorm=R(),mlp=M(gate_proj=L(w,inner),up_proj=L(w,inner),down_proj=L(inner,w))) for _ in range(n)]),norm=R())
        s.lm_head=L(w,v)
    def forward(s,x):
        h,g=s.hd;y=s.model.embed_tokens(x.long())
        for b in s.model.layers:
            a=b.self_attn;z=b.input_layernorm(y);r=lambda t:t.repeat_interleave(h//g,1)
            y=y+a.o_proj(att(rot(heads(a.q_proj(z),h)),r(rot(heads(a.k_proj(z),g))),r(heads(a.v_proj(z),g)),True))
            z=b.post_attention_layernorm(y);y=y+b.mlp.down_proj(F.silu(b.mlp.gate_proj(z))*b.mlp.up_proj(z))
        return s.lm_head(s.model.norm(y))
full=sys.argv[1]=='full';out=sys.argv[2];torch.manual_seed(5);torch.set_num_threads(2)
R=torch.randn;I=lambda v,*s:torch.randint(0,v,s,dtype=torch.int32)
cfg={
'resnet18':(lambda:(ResNet(64,1000),(R(2,3,224,224),))) if full else (lambda:(ResNet(2,5),(R(2,3,40,40),))),
'mobilenetv3':(lambda:(MobileNetV3(SMALL,16,576,1024,1000),(R(2,3,224,224),))) if full else (lambda:(MobileNetV3(NARROW,8,16,12,5),(R(3,3,33,33),))),
'bert':(lambda:(Bert(30522,768,12,12,512,3072),(I(30522,2,128),I(2,2,128),(torch.arange(128)[None,:]<torch.tensor([[128],[101]]))))) if full else (lambda:(Bert(31,16,4,2,12,24),(I(31,2,9),I(2,2,9),torch.arange(9)[None,:]<torch.tensor([[9],[6]])))),
'gpt2':(lambda:(Gpt2(50257,768,12,12,1024),(I(50257,2,64),))) if full else (lambda:(Gpt2(31,16,4,2,12),(I(31,2,9),))),
'llama':(lambda:(Llama(1000,512,8,2,1,1408),(I(1000,2,64),))) if full else (lambda:(Llama(31,16,4,2,2,24),(I(31,2,9),))),
}
from safetensors.torch import save_file
for name,make in cfg.items():
    if len(sys.argv)>3 and name not in sys.argv[3:]:continue
    m,ins=make()
    with torch.no_grad():
        for n,p in m.named_parameters():
            if p.dim()==1:p.copy_((1 if n.endswith('weight') else 0)+0.1*R(p.shape))
            elif 'mbed' in n or n.startswith('w'):p.copy_(R(p.shape)*(.1 if full else .5))
            elif full:p.copy_(R(p.shape)/(p[0].numel() if not name=='gpt2' else p.shape[0])**.5)
            else:p.copy_(R(p.shape)*(1.4/(p[0].numel())**.5))
        for n,b in m.named_buffers():
            if n.endswith('mean'):b.copy_(.1*R(b.shape))
            if n.endswith('var'):b.copy_(.5+torch.rand(b.shape))
    m.eval();state={k:v.clone() for k,v in m.state_dict().items()}
    with torch.no_grad():y=m(*ins)
    extra={'x':ins[0]}
    if len(ins)>1:extra.update(types=ins[1],mask=ins[2])
    if isinstance(y,tuple):extra.update(pooled=y[1]);y=y[0]
    extra['y']=y.contiguous()
    grads={};after={}
    if not full:
        m.train();t=m(*ins);t=t if not isinstance(t,tuple) else t[1]
        loss=t.square().mean();loss.backward();extra['loss']=loss.detach()
        grads={k:p.grad if p.grad is not None else torch.zeros_like(p) for k,p in m.named_parameters()}
        after={k:v.clone() for k,v in m.named_buffers() if 'num' not in k}
    p=os.path.join(out,name)
    if name in('resnet18','mobilenetv3','gpt2'):torch.save({'weights':state,'grad':grads,'after':after,**extra},p+'.pt')
    else:save_file({**{'weights.'+k:v for k,v in state.items()},**{'grad.'+k:v.contiguous() for k,v in grads.items()},**extra},p+'.safetensors')
    print(name,sum(v.numel() for v in state.values()),y.shape,y.abs().max())
